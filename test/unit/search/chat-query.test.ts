import assert from 'node:assert/strict';
import { parseChatQuery } from '../../../src/core/search/chat-query.ts';

describe('search query over all chats', () => {
  it('separates filters from search words', () => {
    assert.deepEqual(
      parseChatQuery('staging tool:codex port role:user workspace:"my api" file:src/a.ts kind:decision'),
      { text: 'staging port', tool: 'codex', role: 'user', workspace: 'my api', file: 'src/a.ts', kind: 'decision' },
    );
    assert.deepEqual(parseChatQuery('port since:2026-01-01T09:30 before:2026-02-01T00:00Z'), {
      text: 'port',
      since: new Date(2026, 0, 1, 9, 30).getTime(),
      before: Date.UTC(2026, 1, 1),
    });
  });

  describe('in a time zone west of Greenwich', () => {
    const timeZone = process.env['TZ'];
    before(() => {
      process.env['TZ'] = 'America/New_York';
    });
    after(() => {
      if (timeZone === undefined) delete process.env['TZ'];
      else process.env['TZ'] = timeZone;
    });

    it('starts a day, month or year at local midnight', () => {
      const newYear = Date.parse('2026-01-01T05:00:00Z');
      for (const date of ['2026', '2026-01', '2026-01-01'])
        assert.deepEqual(parseChatQuery(`since:${date} before:${date}`), { text: '', since: newYear, before: newYear });
    });
  });

  it('searches commands after cmd:', () =>
    assert.deepEqual(parseChatQuery('cmd: npm test'), { text: 'npm test', commands: true }));

  it('names a filter with an invalid value instead of searching for its text', () => {
    for (const [typed, filter, value] of [
      ['port role:boss', 'role', 'boss'],
      ['port kind:bug', 'kind', 'bug'],
      ['port since:yesterday', 'since', 'yesterday'],
      ['port since:5', 'since', '5'],
      ['port before:2026-13-45', 'before', '2026-13-45'],
      ['port tool:', 'tool', ''],
      ['port file:""', 'file', ''],
    ])
      assert.deepEqual(parseChatQuery(typed!), { text: 'port', invalid: { filter, value } });
  });

  it('treats other words with a colon as search words', () => {
    const typed = 'http://localhost:80 cmd: role: port';
    assert.deepEqual(parseChatQuery(typed), { text: typed });
  });
});
