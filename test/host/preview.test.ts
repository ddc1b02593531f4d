import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Conversation } from '../../src/app/conversation.ts';
import type { ResultInContext } from '../../src/app/context-status.ts';
import { editSummary, undoOrRedoChange } from '../../src/app/summary-changes.ts';
import { nodeText } from '../../src/core/context/render-context.ts';
import { ContextGauge } from '../../src/host/gauge/context-gauge.ts';
import { documentUri } from '../../src/host/summaries/document-uris.ts';
import { WireServer } from '../support/wire-server.ts';
import { answering, product, sampleSession, withSettings } from './product.ts';

const PROVIDERS = [
  { provider: 'openai', model: 'gpt-4o-mini', path: '/v1' },
  { provider: 'anthropic', model: 'claude-haiku-4-5', path: '' },
] as const;

describe('request preview in the editor', () => {
  let server: WireServer;
  before(async () => {
    server = await WireServer.start();
  });
  after(() => server.stop());

  for (const { provider, model, path } of PROVIDERS)
    it(`equals the request sent to ${provider} byte for byte: at first, after an edit, and after undoing it`, async () => {
      const app = await product();
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

  it('counts provider tokens, like the gauge', async () => {
    const conversation = await sampleSession();
    // Like for a model whose tokenizer produces 50% more tokens, and whose provider adds some to each request.
    conversation.meter.providerTokens = (counted) => Math.round(counted * 1.5) + 40;
    const { used, budget } = new ContextGauge(() => undefined).view(conversation);
    const text = await preview(conversation, '', 'next');
    const figures = text.split('\n').flatMap((line) => /^\| .* \| \**([\d,]+)\** \|$/.exec(line)?.[1] ?? []);
    const [total, ...parts] = figures.map((figure) => Number(figure.replaceAll(',', ''))).toReversed();
    assert.equal(total, used);
    assert.equal(
      parts.reduce((sum, part) => sum + part, 0),
      used,
    );
    assert.ok(text.includes(`Total (budget: ${budget.toLocaleString('en')})`), text.slice(0, 500));
    const headed = [...text.matchAll(/^##.* · ([\d,]+) tokens$/gm)].map(([, tokens]) =>
      Number(tokens?.replaceAll(',', '')),
    );
    const sum = headed.reduce((all, one) => all + one, 0);
    assert.ok(Math.abs(sum - used) <= headed.length, `${sum} under the headings, ${used} in all`);
  });

  it('confirms every row of *Why Did It Forget?*', async () => {
    const app = await product();
    await app.keys.set({ provider: 'openai', baseUrl: server.url }, 'sk-test-key');
    const settings = { 'chat.provider': 'openai', 'chat.model': 'gpt-4o-mini', 'chat.baseUrl': `${server.url}/v1` };
    await withSettings(settings, async () => {
      const conversation = await sampleSession();
      assert.equal((await conversation.compressNow()).kind, 'committed');
      const request = await preview(conversation, '');
      const isSent = (text: string): boolean => request.includes(JSON.stringify(text.trim()).slice(1, -1));
      const seen = new Set<string>();
      for (const words of [
        ['privacy', 'text', '30', 'days'],
        ['small', 'commits', 'green'],
        ['postgres', 'sqlite'],
      ])
        for (const { label, place } of await whyForgotten(words.join(' '))) {
          const { text, status } = place;
          const held = words.filter((word) => text.toLowerCase().includes(word));
          const tells = (part: string): boolean =>
            held.filter((word) => part.toLowerCase().includes(word)).length >= 0.6 * held.length;
          const sent = text.split(/\n+|(?<=[.!?]) /).filter((sentence) => tells(sentence) && isSent(sentence));
          const row = `${words.join(' ')} | ${label} | ${text}`;
          if (status.kind === 'archived') assert.deepEqual(sent, [], row);
          else if (status.kind === 'ledger') assert.ok(isSent(status.event.quote), row);
          else if (status.kind === 'summary') assert.ok(isSent(nodeText(status.node, status.level)), row);
          else assert.ok(sent.length > 0, row);
          seen.add(status.kind);
        }
      for (const kind of ['archived', 'ledger', 'verbatim']) assert.ok(seen.has(kind), `no row is ${kind}`);
    });
    await app.keys.clear('openai');
  });
});

/** The search results for what the user reports as forgotten. */
async function whyForgotten(
  question: string,
): Promise<readonly (vscode.QuickPickItem & { readonly place: ResultInContext })[]> {
  let shown: readonly (vscode.QuickPickItem & { readonly place: ResultInContext })[] = [];
  const answers = {
    showInputBox: () => Promise.resolve(question),
    showQuickPick: (rows: typeof shown) => {
      shown = rows;
      return Promise.resolve(undefined);
    },
  };
  await answering(answers, async () => vscode.commands.executeCommand('threadkeeper.whyForgotten'));
  return shown;
}

/** The preview's document while the composer contains a text. */
async function preview({ journal }: Conversation, text: string, kind: 'next' | 'request' = 'request'): Promise<string> {
  const { drafts } = await product();
  drafts.set(journal.id, text);
  const uri = documentUri(journal.id, kind, 'now', `Preview ${text}`);
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
