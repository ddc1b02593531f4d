import assert from 'node:assert/strict';
import { folderPath, TranscriptSink } from '../../../src/core/transcript/transcript-message.ts';
import { importContinueSession } from '../../../src/core/transcript/continue-session.ts';

describe('workspace folder of an imported chat', () => {
  for (const [written, folder] of [
    ['/home/sam/api', '/home/sam/api'],
    ['file:///home/sam/my%20api', '/home/sam/my api'],
    ['file:///home/sam/100%/api', '/home/sam/100%/api'],
    ['file:///c%3A/Users/sam/api', 'c:\\Users\\sam\\api'],
    ['file:///C:/Users/sam/api', 'C:\\Users\\sam\\api'],
    ['vscode-remote://ssh-remote%2Bbox/home/sam/api', '/home/sam/api'],
  ] as const) {
    it(`is parsed from ${written}`, () => {
      assert.equal(folderPath(written), folder);
      const sink = new TranscriptSink();
      importContinueSession({ sessionId: 's', workspaceDirectory: written, history: [] }, sink);
      assert.equal(sink.facts.workspace, folder);
      assert.deepEqual([sink.take().messages, sink.skipped], [[], []]);
    });
  }

  it('is undefined when the recorded folder is missing or invalid', () =>
    assert.deepEqual(['', undefined, 7].map(folderPath), [undefined, undefined, undefined]));
});
