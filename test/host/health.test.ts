import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { messageId } from '../../src/core/model/ids.ts';
import { gatherHealth } from '../../src/host/health/check-health.ts';
import { product, run, withSettings } from './product.ts';

describe('health check', () => {
  it('writes a report without session titles, message text or paths', async () => {
    const app = await product();
    const conversation = await app.sessions.create('A secret title');
    const content = [{ type: 'text', text: 'the hidden phrase' }] as const;
    const message = { id: messageId('health-1'), parent: null, role: 'user', content, at: 1 } as const;
    await conversation.journal.append({ type: 'message_added', message });
    await run('checkHealth');
    await run('openAsText');
    const report = vscode.window.activeTextEditor?.document.getText() ?? '';
    assert.match(report, /^# Threadkeeper Health Report\n\nNo problems found\./);
    assert.match(report, /messages in the open session: 1,/);
    assert.doesNotMatch(report, /secret title|hidden phrase|file:|\/workspace/);
  });

  it('finds invalid settings and a provider without an API key', async () => {
    const app = await product();
    await withSettings({ 'chat.provider': 'anthropic', 'compression.backgroundThreshold': 0.95 }, async () => {
      const { settings, provider } = await gatherHealth(app);
      assert.match(settings.fault ?? '', /background threshold/);
      assert.ok(settings.changed.includes('chat.provider'));
      assert.deepEqual(provider.state, { kind: 'no_key' });
    });
  });
});
