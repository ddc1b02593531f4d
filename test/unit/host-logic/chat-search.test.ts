import assert from 'node:assert/strict';
import type * as ChatsModule from '../../../src/host/external-chats/external-chat-commands.ts';
import type { FollowedChats } from '../../../src/worker/followed-chats.ts';
import { followClaudeCode } from '../../support/external-chats.ts';
import { hostIn } from '../../support/fake-editor.ts';
import { folderForAllTests } from '../../support/per-test.ts';
import { jsonl, putFile } from '../../support/tool-homes/conversation.ts';
import { until } from '../../support/until.ts';
import { eventLoopYielder } from '../../support/yielders.ts';

interface Item {
  readonly label: string;
  readonly detail?: string;
}

/** VS Code cuts longer rows off. */
const MAX_ROW_LENGTH = 80;

describe('search for chats from other tools', () => {
  let place = '';
  let chats: FollowedChats;
  folderForAllTests((made) => (place = made));

  before(async () => {
    const chat = (day: number, ...said: readonly string[]): string =>
      jsonl(
        ...said.map((content, index) => ({
          type: index % 2 === 0 ? 'user' : 'assistant',
          timestamp: `2026-03-0${day}T09:0${index}:00Z`,
          message: { role: index % 2 === 0 ? 'user' : 'assistant', content },
        })),
      );
    putFile(place, 'home/.claude/projects/api/a.jsonl', chat(1, 'We decided to use PostgreSQL.', 'Noted.'));
    putFile(
      place,
      'home/.claude/projects/web/b.jsonl',
      chat(2, 'Why is $(pwd) empty?', 'It is not.', 'Which port is it?', 'It is 4601.'),
    );
    chats = await followClaudeCode(place);
  });
  after(() => chats.close());

  /** The items that the search shows for a text. */
  async function itemsFor(typed: string): Promise<readonly Item[]> {
    let hide = (): void => undefined;
    const picker = {
      ...{ value: '', items: [] as readonly Item[], show: () => undefined, dispose: () => undefined },
      ...{ onDidChangeValue: () => undefined, onDidAccept: () => undefined },
      onDidHide: (then: () => void) => (hide = then),
    };
    const load = hostIn({
      ...{ workspace: { isTrusted: true } },
      window: { createQuickPick: () => picker },
    });
    const { searchChats } = await load<typeof ChatsModule>('external-chats/external-chat-commands.ts');
    const searched = searchChats(
      { chats: { list: () => chats.list(), library: chats }, clock: { yielder: eventLoopYielder() } } as never,
      typed,
    );
    await until(() => picker.items.length > 0);
    hide();
    await searched;
    return picker.items;
  }
  const labelsFor = async (typed: string): Promise<readonly string[]> =>
    (await itemsFor(typed)).map(({ label }) => label);

  it('lists the newest chats for a filter without words', async () => {
    assert.deepEqual(await labelsFor('tool:claude'), ['It is 4601.', 'Noted.']);
    assert.deepEqual(await labelsFor('role:user'), ['Which port is it?', 'We decided to use PostgreSQL.']);
    assert.deepEqual(await labelsFor('before:2026-03-02'), ['Noted.']);
    assert.deepEqual(await labelsFor('tool:codex'), ['No results']);
  });

  it('lists the newest key events of a kind without words', async () => {
    assert.deepEqual(await labelsFor('kind:decision'), ['We decided to use PostgreSQL.']);
    assert.deepEqual(await labelsFor('kind:error'), ['No results']);
  });

  it('shows shell commands as text, not as icons', async () => {
    const [item] = await itemsFor('empty');
    assert.equal(item?.label, 'Why is \\$(pwd) empty?');
    assert.match(item.detail ?? '', /^Why is \\\$\(pwd\) empty\? · 1 · /);
  });

  it('lists the filters before anything is typed', async () => {
    const [item, ...others] = await itemsFor('');
    assert.deepEqual(others, []);
    assert.equal(item?.label, 'Filters: tool: workspace: role: file: kind: since: before:');
    assert.match(item.detail ?? '', /cmd:/);
    assert.ok(item.label.length <= MAX_ROW_LENGTH);
  });

  it('says which value of a filter is invalid, and which values are valid', async () => {
    for (const [typed, label, detail] of [
      ['port tool:nope', 'Invalid value for tool: nope', /^claude-code$/],
      ['kind:bug', 'Invalid value for kind: bug', /^decision, error, /],
      ['port role:', 'Enter a value after role:', /^system, user, assistant/],
      ['since:yesterday', 'Invalid value for since: yesterday', /^A date such as 2026-01-31/],
      ['before:2026-13-45 port', 'Invalid value for before: 2026-13-45', /^A date such as 2026-01-31/],
      ['file:', 'Enter a value after file:', /a path/],
    ] as const) {
      const [item, ...others] = await itemsFor(typed);
      assert.deepEqual([item?.label, others], [label, []]);
      assert.match(item?.detail ?? '', detail);
      assert.ok((item?.detail ?? '').length <= MAX_ROW_LENGTH);
    }
  });
});
