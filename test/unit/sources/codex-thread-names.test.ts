import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { database, jsonl, putFile } from '../../support/tool-homes/conversation.ts';
import { homeForEachTest } from '../../support/tool-homes/home-for-each-test.ts';

const ID = (last: number): string => `0195a1b2-0000-7000-8000-00000000000${last}`;
const TABLE_WITH_TITLES = 'CREATE TABLE threads (id TEXT, title TEXT, first_user_message TEXT)';
const TABLE_WITH_NAMES = 'CREATE TABLE threads (id TEXT, title TEXT, first_user_message TEXT, name TEXT)';

describe('names of Codex threads', () => {
  let home = '';
  const { find, findAny } = homeForEachTest((folder) => (home = folder));
  beforeEach(() => {
    for (const last of [1, 2, 3]) putFile(home, `.codex/sessions/rollout-${ID(last)}.jsonl`, jsonl({ last }));
  });

  const names = async (env?: Readonly<Record<string, string>>): Promise<(string | undefined)[]> =>
    (await find('codex', env)).map(([, { facts }]) => facts.title);

  it('come from the newest database, or else from the index', async () => {
    const row = (last: number, name: string | null): (string | null)[] => [ID(last), 'A title', 'A prompt', name];
    database(home, '.codex/state_9.sqlite', TABLE_WITH_NAMES, { threads: [row(1, 'Old')] });
    database(home, '.codex/state_10.sqlite', TABLE_WITH_NAMES, { threads: [row(1, 'New'), row(2, null), row(3, ' ')] });
    putFile(
      home,
      '.codex/session_index.jsonl',
      jsonl({ id: ID(1), thread_name: 'Older' }, { id: ID(2), thread_name: 'Ports' }),
    );
    assert.deepEqual(await names(), ['New', 'Ports', undefined]);
  });

  it('are titles that differ from the prompt in a database without names', async () => {
    const folder = path.join(home, 'elsewhere');
    database(home, 'elsewhere/state.sqlite', TABLE_WITH_TITLES, {
      threads: [
        [ID(1), 'Ports', 'Which port?'],
        [ID(2), 'Which host? ', 'Which host?'],
        [ID(3), 'Keys', 'Which key?'],
      ],
    });
    database(home, 'elsewhere/state_2.sqlite', TABLE_WITH_TITLES, { threads: [[ID(1), 'Gateway', 'Which port?']] });
    putFile(home, '.codex/session_index.jsonl', jsonl({ id: ID(3), thread_name: 'Renamed' }));
    assert.deepEqual(await names({ CODEX_SQLITE_HOME: folder }), ['Gateway', undefined, 'Renamed']);
    assert.deepEqual(await names(), [undefined, undefined, 'Renamed']);
  });

  it('are missing in a database of a version that could not tell titles from prompts', async () => {
    const old = 'CREATE TABLE threads (id TEXT, title TEXT)';
    database(home, '.codex/state_1.sqlite', old, { threads: [[ID(1), 'Which port?']] });
    database(home, '.codex/state_2.sqlite', TABLE_WITH_TITLES, { threads: [[ID(2), 'Hosts', 'Which host?']] });
    assert.deepEqual(await names(), [undefined, 'Hosts', undefined]);
  });

  it('are missing if the database is damaged, which is reported', async () => {
    const file = putFile(home, '.codex/state_5.sqlite', '');
    writeFileSync(file, 'no database'.repeat(20));
    const { files, unreadable } = await findAny('codex');
    const titles = files.map(([, { facts }]) => facts.title);
    assert.deepEqual(titles, [undefined, undefined, undefined]);
    const paths = unreadable.map((one) => one.path);
    assert.deepEqual(paths, [file]);
  });
});
