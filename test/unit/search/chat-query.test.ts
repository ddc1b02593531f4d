import assert from 'node:assert/strict';
import { parseChatQuery } from '../../../src/core/search/chat-query.ts';

describe('search query over all chats', () => {
  it('separates filters from search words', () => {
    assert.deepEqual(
      parseChatQuery('staging tool:codex port role:user workspace:"my api" file:src/a.ts kind:decision'),
      {
        text: 'staging port',
        tool: 'codex',
        role: 'user',
        workspace: 'my api',
        file: 'src/a.ts',
        kind: 'decision',
      },
    );
    assert.deepEqual(parseChatQuery('port since:2026-01-01 before:2026-02-01'), {
      text: 'port',
      since: Date.parse('2026-01-01'),
      before: Date.parse('2026-02-01'),
    });
  });

  it('searches commands after cmd:', () => {
    assert.deepEqual(parseChatQuery('cmd: npm test'), { text: 'npm test', commands: true });
  });

  it('treats invalid filters as search words', () => {
    assert.deepEqual(parseChatQuery('role:boss since:soon http://localhost:80 cmd:'), {
      text: 'role:boss since:soon http://localhost:80 cmd:',
    });
  });
});
