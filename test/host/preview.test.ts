import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Conversation } from '../../src/app/conversation.ts';
import { editSummary, undoOrRedoChange } from '../../src/app/summary-changes.ts';
import { documentUri } from '../../src/host/summaries/document-uris.ts';
import { openForAllTests } from '../support/per-test.ts';
import { WireServer } from '../support/wire-server.ts';
import { product, sampleSession, withSettings } from './product.ts';

const PROVIDERS = [
  { provider: 'openai', model: 'gpt-4o-mini', path: '/v1' },
  { provider: 'anthropic', model: 'claude-haiku-4-5', path: '' },
] as const;

describe('request preview in the editor', () => {
  let server: WireServer;
  openForAllTests(async () => (server = await WireServer.start()));

  for (const { provider, model, path } of PROVIDERS)
    it(`equals the request sent to ${provider} byte for byte: at first, after an edit, and after undoing it`, async () => {
      const app = await product();
      // An open file would be attached automatically.
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
      await app.implicit.refresh();
      server.reset().answer('Noted.');
      await app.keys.set({ provider, baseUrl: server.url }, 'sk-test-key');
      const settings = { 'chat.provider': provider, 'chat.model': model, 'chat.baseUrl': `${server.url}${path}` };
      await withSettings(settings, async () => {
        const conversation = await sampleSession();
        const { journal, state, counter } = conversation;
        assert.equal((await conversation.compressNow()).kind, 'committed');
        assert.doesNotMatch(await sentAsShown(conversation, server, 'What next? “Ünï” 日本 😀'), /Written by hand/);
        const { node } = state.frontier[0]!;
        await editSummary(journal, counter, node.id, state.levels.get(node.id) ?? 'detailed', 'Written by hand.');
        assert.match(await sentAsShown(conversation, server, 'And then?'), /Written by hand\./);
        await undoOrRedoChange(journal, true);
        assert.doesNotMatch(await sentAsShown(conversation, server, 'And in the end?'), /Written by hand/);
      });
      await app.keys.clear(provider);
    });
});

/** The request that is shown while the composer contains a text. */
async function preview({ journal }: Conversation, text: string): Promise<string> {
  const { drafts } = await product();
  drafts.set(journal.id, text);
  const uri = documentUri(journal.id, 'request', 'now', `Preview ${text}`);
  const bytes = await vscode.workspace.fs.readFile(uri);
  drafts.set(journal.id, '');
  return Buffer.from(bytes).toString('utf8');
}

/**
 * Writes a text into the composer, reads the preview's document, sends the message, and returns the request that was
 * received.
 */
async function sentAsShown(conversation: Conversation, server: WireServer, text: string): Promise<string> {
  const before = await preview(conversation, text);
  const count = server.requests.length;
  await conversation.send(text);
  assert.equal(server.requests.length, count + 1);
  const { raw } = server.requests[count]!;
  assert.equal(raw, before);
  return raw;
}
