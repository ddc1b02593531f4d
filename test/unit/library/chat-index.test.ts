import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { ChatIndex, type ChatQuery } from '../../../src/app/library/chat-index.ts';
import { recalledText } from '../../../src/app/workspace-recall.ts';
import { Library } from '../../../src/app/library/library.ts';
import { searchBlocks } from '../../../src/core/search/block-search.ts';
import { TextIndex } from '../../../src/core/search/text-index.ts';
import { decodeBlocks, encodeBlock, indexBlockOf } from '../../../src/core/search/index-block.ts';
import { withSources } from '../../../src/sources/all-sources.ts';
import { LibraryCopies } from '../../../src/storage/library-copies.ts';
import { folderForEachTest } from '../../support/per-test.ts';
import { claudeMessage, jsonl, putFile } from '../../support/tool-homes/conversation.ts';

const TEXTS = [
  'The bookings database uses PostgreSQL 16 on port 5432.',
  'Which port does the staging server use?',
  'Run npm test before each commit; the staging server is deployed by hand.',
  'Die Datenbank der Buchungen läuft auf PostgreSQL. 端口是八千零八十。',
  'parseBookingDate throws on an empty string; catch it in the route.',
  '🚢 shipped',
];
const messages = TEXTS.map((text, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', text }) as const);
const searched = (from: number, to: number, valid = to - from) => ({
  block: indexBlockOf(messages.slice(from, to)),
  valid,
});
const found = (...args: Parameters<typeof searchBlocks>): string[] =>
  searchBlocks(...args).map(({ block, message }) => `${block}:${message}`);

describe('search over index blocks', () => {
  it('ranks messages like a single search index, however they are split into blocks', () => {
    const index = new TextIndex();
    for (const [at, { text }] of messages.entries()) index.add(String(at), text);
    const words = ['staging server', 'parse booking', '端口', 'npm test', 'shipp'];
    for (const query of ['postgresql port', 'which database did we choose', ...words]) {
      const expected = index.search(query).map(({ id }) => Number(id));
      for (const cut of [1, 3, 6]) {
        const hits = searchBlocks([searched(0, cut), searched(cut, 6)], query, { limit: 10 });
        assert.deepEqual(
          hits.map(({ block, message }) => (block === 0 ? message : cut + message)).sort(),
          [...expected].sort(),
          query,
        );
        assert.equal(hits[0] && (hits[0].block === 0 ? hits[0].message : cut + hits[0].message), expected[0], query);
      }
    }
  });

  it('finds all of a word’s messages, however far apart, but nothing in the middle of a long tool result', () => {
    const long = `lighthouse ${'x '.repeat(3_000)}buoy${' x'.repeat(3_000)} anchor`;
    const far = Array.from({ length: 50 }, (_, at) => (at % 24 === 0 ? 'The lighthouse is lit.' : `Line ${at}`));
    const block = indexBlockOf([...far.map((text) => ({ role: 'user', text }) as const), { role: 'tool', text: long }]);
    const hits = ['lighthouse', 'buoy', 'anchor'].map((word) =>
      found([{ block, valid: 51 }], word, { limit: 9 }).sort(),
    );
    assert.deepEqual(hits, [['0:0', '0:24', '0:48', '0:50'], [], ['0:50']]);
  });

  it('finds messages for a misspelled word if that word occurs nowhere', () =>
    assert.notDeepEqual(found([searched(0, 6)], 'Postgerql', { limit: 5 }), []));

  it('excludes messages that a later block has replaced, and messages of other roles', () => {
    assert.deepEqual(found([searched(0, 3, 1), searched(1, 2)], 'port', { limit: 5 }), ['1:0', '0:0']);
    assert.deepEqual(found([searched(0, 6)], 'port', { limit: 5, roles: ['assistant'] }), ['0:1']);
  });

  it('reads stored blocks back unchanged, at any offset in memory', () => {
    const bytes = Buffer.concat([
      encodeBlock(indexBlockOf(messages.slice(0, 3)), { from: 0 }),
      encodeBlock(indexBlockOf(messages.slice(3)), 'ä'),
    ]);
    const shifted = Buffer.concat([Buffer.alloc(3), bytes]).subarray(3);
    for (const whole of [bytes, shifted]) {
      const decoded = decodeBlocks(whole);
      const abouts = decoded.map(({ about }) => about);
      assert.deepEqual(abouts, [{ from: 0 }, 'ä']);
      assert.deepEqual(decoded[1]?.block, indexBlockOf(messages.slice(3)));
    }
    assert.throws(() => decodeBlocks(bytes.subarray(0, bytes.length - 8)), RangeError);
  });
});

describe('search in chats from other tools', () => {
  let place = '';
  let home = '';
  const store = (): LibraryCopies => new LibraryCopies(path.join(place, 'copies'));
  const message = (role: 'user' | 'assistant', content: unknown, cwd = '/home/sam/api'): object =>
    claudeMessage(role, content, { cwd });
  /** Messages in another folder. A text alone is the user's. */
  const inWeb = (...said: readonly (string | readonly [string])[]): string =>
    jsonl(
      ...said.map((one) =>
        typeof one === 'string'
          ? message('user', one, '/home/sam/web')
          : message('assistant', [{ type: 'text', text: one[0] }], '/home/sam/web'),
      ),
    );
  const WEB = '.claude/projects/web/two.jsonl';
  const used = (id: string, name: string, input: object): object =>
    message('assistant', [{ type: 'tool_use', id, name, input }]);
  const result = (id: string, content: string, is_error = false): object =>
    message('user', [{ type: 'tool_result', tool_use_id: id, content, is_error }]);

  folderForEachTest((made) => (place = made));
  beforeEach(async () => {
    home = path.join(place, 'home');
    putFile(
      home,
      '.claude/projects/api/one.jsonl',
      jsonl(
        message('user', TEXTS[0]!),
        used('c1', 'Bash', { command: 'npm test' }),
        result('c1', '12 passing'),
        used('c2', 'Bash', { command: 'npm test -- --watch' }),
        result('c2', 'Exit code: 1', true),
        used('c3', 'Edit', { file_path: '/home/sam/api/src/config.ts', old_string: '1', new_string: '2' }),
        result('c3', 'done'),
      ),
    );
    putFile(home, WEB, inWeb(TEXTS[1]!, [TEXTS[2]!]));
    await pass();
  });

  async function pass(): Promise<Library> {
    const library = await Library.open(store());
    await withSources({ folder: home, env: {} }, (sources) => library.sync(sources));
    return library;
  }
  /** Like after a restart. */
  async function search(query: Omit<ChatQuery, 'limit'>): Promise<string[]> {
    const library = await Library.open(store());
    const hits = await library.index.search(library.sessions(), { limit: 10, ...query });
    return hits.map(({ text }) => text);
  }

  it('finds a message with its text after a restart', async () => {
    assert.equal((await search({ text: 'bookings postgresql' }))[0], TEXTS[0]);
  });

  it('opens one file at a time, because there may be thousands of chats', async () => {
    let open = 0;
    let mostOpen = 0;
    class CountingCopies extends LibraryCopies {
      override async readIndex(key: string, bytes: number): Promise<Uint8Array> {
        mostOpen = Math.max(mostOpen, ++open);
        return super.readIndex(key, bytes).finally(() => open--);
      }
    }
    const library = await Library.open(new CountingCopies(path.join(place, 'copies')));
    assert.equal((await library.index.search(library.sessions(), { text: 'port', limit: 10 })).length, 2);
    assert.equal(mostOpen, 1);
  });

  it('returns only results that match the filters', async () => {
    assert.deepEqual(await search({ text: 'port', workspace: 'web' }), [TEXTS[1]]);
    assert.deepEqual(await search({ text: 'port', tools: ['codex'] }), []);
    assert.deepEqual(await search({ text: 'staging', roles: ['assistant'] }), [TEXTS[2]]);
    assert.deepEqual(await search({ text: 'port', since: Date.now() + 1000 }), []);
    assert.deepEqual(await search({ text: 'port', before: Date.parse('2026-03-01') }), []);
    assert.deepEqual(await search({ text: 'port', file: 'src/config.ts' }), [TEXTS[0]]);
    assert.deepEqual(await search({ text: 'port', folders: ['/home/sam/web'] }), [TEXTS[1]]);
    assert.equal((await search({ text: 'port', folders: ['/home/sam/'] })).length, 2);
    assert.deepEqual(await search({ text: 'port', folders: ['/home/sam/we'] }), []);
  });

  it('finds the chats of a folder and a file, in whichever way the accents of its path are encoded', async () => {
    const text = 'The port of the office is 9191.';
    const folder = '/home/sam/Büro München'.normalize('NFD');
    const edit = {
      type: 'tool_use',
      id: 'c4',
      name: 'Edit',
      input: { file_path: `${folder}/Größe.ts`.normalize('NFD') },
    };
    const chat = jsonl(message('user', text, folder), message('assistant', [edit], folder));
    putFile(home, '.claude/projects/b/three.jsonl', chat);
    await pass();
    assert.deepEqual(await search({ text: 'port', folders: ['/home/sam/Büro München'.normalize('NFC')] }), [text]);
    assert.deepEqual(await search({ text: 'port', workspace: 'Büro München'.normalize('NFC') }), [text]);
    assert.deepEqual(await search({ text: 'port', file: 'Größe.ts'.normalize('NFC') }), [text]);
  });

  it('finds the newest messages of each chat for filters without a text', async () => {
    const latest = await search({ text: '', newestPerChat: 1, roles: ['user'] });
    assert.deepEqual(latest.sort(), [TEXTS[0], TEXTS[1]]);
    assert.deepEqual(await search({ text: '', newestPerChat: 5, workspace: 'web' }), [TEXTS[2], TEXTS[1]]);
    assert.deepEqual(await search({ text: '', newestPerChat: 1, roles: ['user'], file: 'config.ts' }), [TEXTS[0]]);
    assert.deepEqual(await search({ text: '', newestPerChat: 1, tools: ['codex'] }), []);
    assert.deepEqual(await search({ text: '' }), []);
  });

  it('finds only commands that succeeded', async () => {
    assert.deepEqual(await search({ text: 'npm test', commands: true }), ['npm test']);
  });

  it('lists the changes made to a file, also if the tool named it relative to its folder', async () => {
    const input = { file_path: './src/app.ts', old_string: '1', new_string: '2' };
    const edit = { type: 'tool_use', id: 'c1', name: 'Edit', input };
    appendFileSync(path.join(home, WEB), jsonl(message('assistant', [edit], '/home/sam/web')));
    await pass();
    const library = await Library.open(store());
    const changesTo = async (file: string): Promise<string[]> =>
      (await library.index.effectsOn(library.sessions(), file)).map(
        ({ kind, message: at, ok }) => `${kind} ${at} ${ok}`,
      );
    assert.deepEqual(await changesTo('/home/sam/api/src/config.ts'), ['edit 5 true']);
    assert.deepEqual(await changesTo('/home/sam/web/src/app.ts'), ['edit 2 undefined']);
    assert.deepEqual(await changesTo('/home/sam/api/src/app.ts'), []);
  });

  it('finds added messages, and no longer finds rewritten ones', async () => {
    appendFileSync(path.join(home, WEB), inWeb('The certificate expires in May.'));
    await pass();
    assert.deepEqual(await search({ text: 'certificate' }), ['The certificate expires in May.']);
    putFile(home, WEB, inWeb(TEXTS[1]!, 'It was renewed.'));
    await pass();
    assert.deepEqual(await search({ text: 'certificate' }), []);
    assert.deepEqual(await search({ text: 'renewed' }), ['It was renewed.']);
  });

  it('masks secrets in excerpts of a given length, wherever they begin', async () => {
    const key = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;
    const said = `${'The harbour is closed. '.repeat(40)}The crane token is ${key}, and nothing else.`;
    putFile(home, '.claude/projects/web/secret.jsonl', inWeb(said));
    await pass();
    const [text = ''] = await search({ text: 'crane token', redact: true, excerptUnits: 60 });
    assert.match(text, /crane token is \[redacted: /);
    assert.ok(text.length <= 60, text);
    assert.match((await search({ text: 'crane token' }))[0]!, /crane token is ghp_/);
  });

  it('finds a message once, although a chat was continued in another file', async () => {
    const first = [
      message('user', 'The ferry leaves at ten.'),
      message('assistant', [{ type: 'text', text: 'Noted.' }]),
    ];
    putFile(home, '.claude/projects/api/first.jsonl', jsonl(...first));
    putFile(home, '.claude/projects/api/second.jsonl', jsonl(...first, message('user', 'The ferry is late.')));
    await pass();
    assert.deepEqual((await search({ text: 'ferry' })).toSorted(), ['The ferry is late.', 'The ferry leaves at ten.']);
  });

  it('finds what was said, but neither a recall of it nor its result', async () => {
    const original = 'The lighthouse is painted red.';
    const quoted = recalledText([{ session: 'Paint', message: 1, role: 'user', text: original }]);
    const recall = [used('r1', 'mcp__threadkeeper__recall', { query: 'lighthouse' }), result('r1', quoted)];
    const said = inWeb(original) + jsonl(...recall) + inWeb(['Red, as with every lighthouse.']);
    putFile(home, '.claude/projects/web/recalled.jsonl', said);
    await pass();
    assert.deepEqual((await search({ text: 'lighthouse' })).toSorted(), ['Red, as with every lighthouse.', original]);
    assert.deepEqual(await search({ text: 'lighthouse', roles: ['tool'] }), []);
  });

  it('finds the same messages if not all indexes fit in memory, and caches no more than fits', async () => {
    const library = await Library.open(store());
    const small = new ChatIndex(store(), false, 1);
    const query = { text: 'port', limit: 10 };
    const all = await library.index.search(library.sessions(), query);
    const some = await small.search(library.sessions(), query);
    assert.deepEqual(some.map(({ text }) => text).sort(), all.map(({ text }) => text).sort());
    assert.ok(small.cachedBytes <= Math.max(...library.sessions().map(({ indexBytes }) => indexBytes)));
  });

  it('finds a command in several chats only once, although their indexes are read one by one', async () => {
    const ran = jsonl(used('d1', 'Bash', { command: 'npm test' }), result('d1', '3 passing'));
    putFile(home, '.claude/projects/web/three.jsonl', ran);
    const query = { text: 'npm test', commands: true, limit: 10 };
    const hits = await new ChatIndex(store(), false, 1).search((await pass()).sessions(), query);
    const texts = hits.map(({ text }) => text);
    assert.deepEqual(texts, ['npm test']);
  });
});
