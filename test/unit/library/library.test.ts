import assert from 'node:assert/strict';
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { Library, type CopiedSession, type SyncReport } from '../../../src/app/library/library.ts';
import type { LibraryStore } from '../../../src/app/library/library-store.ts';
import type { Source } from '../../../src/app/library/source.ts';
import { inEnglish } from '../../../src/core/text/phrase.ts';
import { LibraryCopies } from '../../../src/storage/library-copies.ts';
import { TOOL_FIXTURES } from '../../support/tool-homes/all-tools.ts';
import { claudeMessage, iso, jsonl, putFile } from '../../support/tool-homes/conversation.ts';
import { homeForEachTest } from '../../support/tool-homes/home-for-each-test.ts';
import { folderForEachTest } from '../../support/per-test.ts';

const SESSION = '.claude/projects/p/s.jsonl';
const userRecord = (index: number, text: string): string =>
  jsonl(claudeMessage('user', text, { timestamp: iso(index) }));
const assistantRecord = (index: number, id: string, text: string): string =>
  jsonl(claudeMessage('assistant', [{ type: 'text', text }], { timestamp: iso(index), message: { id } }));
const compactionRecord = jsonl(claudeMessage('user', 'In short.', { timestamp: iso(9), isCompactSummary: true }));

describe('the library of chats from other tools', () => {
  let home = '';
  let copies = '';
  let sources: readonly Source[];

  const { closeDatabases, sources: allSources } = homeForEachTest((made) => (home = made));
  beforeEach(() => (sources = allSources()));
  folderForEachTest((made) => (copies = path.join(made, 'library')));

  const copyOf = (ending: string): string =>
    path.join(copies, readdirSync(copies).find((name) => name.endsWith(ending)) ?? assert.fail(ending));
  const open = (): Promise<Library> => Library.open(new LibraryCopies(copies));
  const synced = async (): Promise<Library> => {
    const library = await open();
    await library.sync(sources);
    return library;
  };
  const only = async (library: Library): Promise<CopiedSession> => {
    assert.equal(library.sessions().length, 1);
    return await library.read(library.sessions()[0]!);
  };
  const texts = ({ messages }: CopiedSession): string[] => messages.map(({ text }) => text);
  /** All messages in the copy, including those that the tool has replaced or removed. */
  const everCopied = async (library: Library): Promise<string[]> => {
    const { key, copyBytes } = library.sessions()[0]!;
    const records = await new LibraryCopies(copies).read(key, copyBytes);
    return records.flatMap((record) => ('message' in record ? record.message.text : []));
  };

  it('counts lines that cannot be read once, also when a chat is read on from where it ended', async () => {
    const lost = async (): Promise<string[]> => {
      const library = await open();
      await library.sync(sources);
      return (await only(await open())).lost.map(({ reason, count }) => `${count} × ${inEnglish(reason)}`);
    };
    putFile(home, SESSION, `${userRecord(1, 'Which port?')}{"type":\n`);
    assert.deepEqual(await lost(), ['1 × invalid JSON line']);
    appendFileSync(path.join(home, SESSION), `${assistantRecord(2, 'a', '8080.')}not JSON\n`);
    assert.deepEqual(await lost(), ['2 × invalid JSON line']);
    appendFileSync(path.join(home, SESSION), userRecord(3, 'And the host?'));
    assert.deepEqual(await lost(), ['2 × invalid JSON line']);
    putFile(home, SESSION, userRecord(1, 'Which port?') + userRecord(2, 'Which host?'));
    assert.deepEqual(await lost(), []);
  });

  it('keeps every message of every tool after the tool’s own storage is deleted', async () => {
    const seen = new Set<string>();
    for (const { tool, write } of TOOL_FIXTURES) {
      if (!seen.has(tool)) write(home);
      seen.add(tool);
    }
    const first = await (await open()).sync(sources);
    assert.deepEqual([first.read, first.unreadable], [15, []]);
    await closeDatabases();
    rmSync(home, { recursive: true });
    const library = await open();
    assert.equal((await library.sync(sources)).gone, 15);
    for (const session of library.sessions()) {
      const { expected } = TOOL_FIXTURES.find(({ tool }) => tool === session.entry.tool)!;
      const { messages } = await library.read(session);
      const read = messages.map(({ blocks: _, ...message }) => message);
      assert.deepEqual(read, expected, session.entry.tool);
    }
  });

  it('reads only added messages, and merges the parts of a growing reply', async () => {
    const file = putFile(home, SESSION, userRecord(1, 'Which port?') + assistantRecord(2, 'm', '8080'));
    const library = await synced();
    appendFileSync(file, assistantRecord(3, 'm', 'or 8081.') + userRecord(4, 'Thanks.'));
    assert.deepEqual((await library.sync(sources)).read, 1);
    const session = await only(await open());
    assert.deepEqual(texts(session), ['Which port?', '8080\nor 8081.', 'Thanks.']);
    const before = statSync(copyOf('.gz')).size;
    appendFileSync(file, userRecord(5, 'Bye.'));
    await library.sync(sources);
    assert.deepEqual(texts(await only(library)), ['Which port?', '8080\nor 8081.', 'Thanks.', 'Bye.']);
    const after = statSync(copyOf('.gz')).size;
    assert.ok(after > before && after < before + 200, `${before} → ${after} bytes`);
  });

  it('keeps compactions in order when a tool inserts one before another', async () => {
    const file = putFile(
      home,
      SESSION,
      userRecord(1, 'Which port?') + assistantRecord(2, 'm', '8080') + compactionRecord,
    );
    const library = await synced();
    const inserted = compactionRecord.replace('In short.', 'Shorter.');
    writeFileSync(file, userRecord(1, 'Which port?') + inserted + assistantRecord(2, 'm', '8080') + compactionRecord);
    await library.sync(sources);
    const compactions = (await only(library)).compactions.map(({ before, summary }) => [before, summary]);
    assert.deepEqual(compactions, [
      [1, 'Shorter.'],
      [2, 'In short.'],
    ]);
  });

  it('keeps the time of the last message when a tool appends other records', async () => {
    const file = putFile(home, SESSION, userRecord(1, 'Which port?'));
    const library = await synced();
    const [before] = library.sessions();
    assert.equal(before?.entry.updatedAt, Date.parse('2026-03-02T09:00:01Z'));
    appendFileSync(file, jsonl({ type: 'file-history-snapshot', snapshot: {} }));
    assert.equal((await library.sync(sources)).read, 1);
    assert.deepEqual(library.sessions()[0]?.entry, before.entry);
  });

  it('does not reread unchanged files', async () => {
    putFile(home, SESSION, userRecord(1, 'Which port?'));
    putFile(home, '.claude/projects/p/broken.jsonl', 'no JSON\n');
    const library = await synced();
    let reads = 0;
    const counting = sources.map((source): Source => ({
      ...source,
      read: (...args) => {
        reads++;
        return source.read(...args);
      },
    }));
    const { read, unchanged, unreadable } = await library.sync(counting);
    assert.deepEqual([read, unchanged, reads], [0, 2, 0]);
    const reasons = unreadable.map(({ reason }) => inEnglish(reason));
    assert.deepEqual(reasons, ['The file contains no readable messages. Skipped: 1 × invalid JSON line.']);
  });

  it('reads a copied chat that has become unreadable only once', async () => {
    const file = putFile(home, SESSION, userRecord(1, 'Which port?'));
    const library = await synced();
    writeFileSync(file, 'no JSON\n');
    assert.equal((await library.sync(sources)).unchanged, 0);
    const { unchanged, unreadable } = await library.sync(sources);
    assert.deepEqual([unchanged, unreadable.map((one) => one.path)], [1, [file]]);
    writeFileSync(file, userRecord(1, 'Which port?'));
    assert.deepEqual((await library.sync(sources)).unreadable, []);
  });

  for (const [damage, harm] of Object.entries({
    deleted: (file: string) => rmSync(file),
    shortened: (file: string) => writeFileSync(file, readFileSync(file).subarray(0, 10)),
  }))
    for (const kind of ['.gz', '.index']) {
      it(`copies a chat again if its ${kind} file has been ${damage}`, async () => {
        putFile(home, SESSION, userRecord(0, 'The port is 8080.'));
        const library = await synced();
        harm(copyOf(kind));
        await library.sync(sources);
        harm(copyOf(kind));
        appendFileSync(path.join(home, SESSION), userRecord(1, 'The host is alpha.'));
        await library.sync(sources);
        const again = await open();
        assert.deepEqual(texts(await only(again)), ['The port is 8080.', 'The host is alpha.']);
        const found = await again.index.search(again.sessions(), { text: 'port', limit: 5 });
        assert.deepEqual(
          found.map(({ text }) => text),
          ['The port is 8080.'],
        );
      });

      it(`searches the other chats if the ${kind} file of one has been ${damage}`, async () => {
        putFile(home, SESSION, userRecord(0, 'The port is 8080.'));
        await synced();
        harm(copyOf(kind));
        rmSync(path.join(home, SESSION));
        // Begins like the other chat, so that both are compared.
        putFile(home, '.claude/projects/p/t.jsonl', userRecord(0, 'The port is 8080.') + userRecord(1, 'Which port?'));
        const library = await synced();
        const found = await library.index.search(library.sessions(), { text: 'which port', limit: 5 });
        assert.equal(found[0]?.text, 'Which port?');
        assert.deepEqual(await library.index.effectsOn(library.sessions(), 'a.ts'), []);
      });
    }

  it('keeps messages that a tool has rewritten', async () => {
    const file = putFile(
      home,
      SESSION,
      userRecord(1, 'Which port?') + userRecord(2, 'And the host?') + userRecord(3, 'And the key?'),
    );
    const library = await synced();
    writeFileSync(file, userRecord(1, 'Which port?') + userRecord(4, 'Never mind.'));
    await library.sync(sources);
    assert.deepEqual(texts(await only(await open())), ['Which port?', 'Never mind.']);
    assert.deepEqual(await everCopied(library), ['Which port?', 'And the host?', 'And the key?', 'Never mind.']);
  });

  it('keeps turns that the user undid, but not as part of the conversation', async () => {
    const record = (type: string, payload: object): string => jsonl({ type, payload });
    const item = (role: string, text: string): string =>
      record('response_item', { type: 'message', role, content: [{ type: 'input_text', text }] });
    const turn = (name: string): string => item('user', name) + item('assistant', `To ${name}`);
    const file = putFile(home, '.codex/sessions/rollout-s.jsonl', record('session_meta', { id: 's' }) + turn('alpha'));
    const library = await synced();
    appendFileSync(file, turn('beta'));
    await library.sync(sources);
    appendFileSync(file, record('event_msg', { type: 'thread_rolled_back', num_turns: 1 }));
    await library.sync(sources);
    assert.deepEqual(texts(await only(library)), ['alpha', 'To alpha']);
    assert.equal(library.sessions()[0]?.entry.messages, 2);
    appendFileSync(file, turn('gamma'));
    await library.sync(sources);
    assert.deepEqual(texts(await only(await open())), ['alpha', 'To alpha', 'gamma', 'To gamma']);
    assert.deepEqual(await everCopied(library), ['alpha', 'To alpha', 'beta', 'To beta', 'gamma', 'To gamma']);
    const found = await library.index.search(library.sessions(), { text: 'beta gamma', limit: 9 });
    assert.deepEqual(found.map(({ text }) => text).sort(), ['To gamma', 'gamma']);
    appendFileSync(file, record('event_msg', { type: 'thread_rolled_back', num_turns: 2 }));
    await library.sync(sources);
    assert.deepEqual(texts(await only(await open())), []);
    assert.equal(library.sessions()[0]?.entry.title, 'alpha');
    assert.deepEqual(await library.index.search(library.sessions(), { text: 'alpha', limit: 9 }), []);
  });

  it('searches the other chats if all turns of a new one were undone', async () => {
    const undone = { type: 'event_msg', payload: { type: 'thread_rolled_back', num_turns: 1 } };
    const message = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Which port?' }] };
    const records = [{ type: 'response_item', payload: message }, undone];
    putFile(home, '.codex/sessions/rollout-s.jsonl', jsonl(...records));
    putFile(home, SESSION, userRecord(1, 'The port is 8080.'));
    const library = await synced();
    const found = await library.index.search(library.sessions(), { text: 'port', limit: 9 });
    assert.deepEqual(
      found.map(({ text }) => text),
      ['The port is 8080.'],
    );
  });

  it('contains a tool’s compaction once, at its position', async () => {
    const file = putFile(home, SESSION, userRecord(1, 'Which port?') + userRecord(2, '8080.'));
    const library = await synced();
    appendFileSync(file, compactionRecord + userRecord(3, 'Go on.'));
    await library.sync(sources);
    appendFileSync(file, userRecord(4, 'And on.'));
    await library.sync(sources);
    const { compactions } = await only(await open());
    const summaries = compactions.map(({ summary, before }) => [summary, before]);
    assert.deepEqual(summaries, [['In short.', 2]]);
    assert.deepEqual([library.sessions()[0]?.entry.messages, library.sessions()[0]?.entry.compactions], [4, 1]);
  });

  it('removes outdated copies that a killed sync has left, but no others', async () => {
    putFile(home, SESSION, userRecord(1, 'Which port?'));
    const library = await synced();
    const names = readdirSync(copies);
    const leftover = ['claude-code-0123456789abcd.jsonl.gz', 'claude-code-0123456789abcd.index'];
    for (const name of [...leftover, 'claude-code-fedcba98765432.index', 'notes.index']) putFile(copies, name, '');
    for (const name of [...leftover, 'notes.index', ...names]) utimesSync(path.join(copies, name), 0, 0);
    await library.sync(sources, { retention: { now: 2, keepMs: 1 } });
    const kept = [...names, 'claude-code-fedcba98765432.index', 'notes.index'];
    assert.deepEqual(readdirSync(copies).sort(), kept.sort());
  });

  it('neither duplicates nor loses messages when a sync is killed at any point', async () => {
    const whole = Array.from({ length: 6 }, (_, index) => userRecord(index, `Message ${index}`));
    for (let kill = 0; kill < 12; kill++) {
      rmSync(copies, { recursive: true, force: true });
      const file = putFile(home, SESSION, whole.slice(0, 3).join(''));
      let writes = 0;
      const store = new LibraryCopies(copies);
      const dying = (): void => {
        if (++writes > kill) throw new Error('killed');
      };
      const mortal = new Proxy<LibraryStore>(store, {
        get: (_, name) => {
          const call = (Reflect.get(store, name) as (...args: unknown[]) => unknown).bind(store);
          if (!['append', 'appendIndex', 'saveCatalog'].includes(String(name))) return call;
          return async (...args: unknown[]) => {
            dying();
            const result = await call(...args);
            dying();
            return result;
          };
        },
      });
      const pass = async (): Promise<unknown> => (await Library.open(mortal)).sync(sources).catch(() => undefined);
      await pass();
      appendFileSync(file, whole.slice(3).join(''));
      await pass();
      const library = await open();
      await library.sync(sources);
      const expected = whole.map((_, index) => `Message ${index}`);
      assert.deepEqual(texts(await only(library)), expected, `killed at write ${kill}`);
    }
  });

  it('reads other files when the reader fails on one, and retries files that the disk failed to read', async () => {
    const [odd, lost] = ['odd', 'lost'].map((name) =>
      putFile(home, `.claude/projects/p/${name}.jsonl`, userRecord(1, name)),
    );
    putFile(home, SESSION, userRecord(1, 'Which port?'));
    const library = await open();
    let isLost = true;
    const failing = sources.map((source): Source => ({
      ...source,
      read: (file, ...rest) => {
        if (file.path === odd) throw new TypeError('not a function');
        if (file.path === lost && isLost) throw Object.assign(new Error('ESTALE: stale handle'), { code: 'ESTALE' });
        return source.read(file, ...rest);
      },
    }));
    const defects: string[] = [];
    const pass = (): Promise<SyncReport> =>
      library.sync(failing, { onUnexpectedError: (file, error) => defects.push(`${file.path} ${String(error)}`) });
    const reasons = ({ unreadable }: SyncReport): string[] =>
      unreadable.map((one) => `${one.path}: ${inEnglish(one.reason)}`).sort();
    const first = await pass();
    assert.equal(first.read, 1);
    const oddReason = `${odd}: The file can’t be read: not a function.`;
    assert.deepEqual(reasons(first), [`${lost}: The file can’t be read: ESTALE: stale handle.`, oddReason]);
    isLost = false;
    const second = await pass();
    assert.deepEqual([second.read, reasons(second)], [1, [oddReason]]);
    assert.deepEqual(defects, [`${odd} TypeError: not a function`]);
  });

  it('masks secrets in titles, also in those of a catalog from an earlier version', async () => {
    const token = ['ghp_', 'a1B2c3D4e5F6g7H8'.repeat(3).slice(0, 36)].join('');
    putFile(home, SESSION, userRecord(1, `Use ${token} for the port.`));
    const masked = /^Use \[redacted: [^\]]+\] for the port\.$/;
    const library = await synced();
    assert.match(library.sessions()[0]!.entry.title, masked);
    const catalog = path.join(copies, 'catalog.json');
    const title = JSON.stringify(library.sessions()[0]!.entry.title);
    const text = readFileSync(catalog, 'utf8');
    assert.ok(text.includes(title));
    writeFileSync(catalog, text.replace(title, JSON.stringify(`Use ${token} for the port.`)));
    assert.match((await open()).sessions()[0]!.entry.title, masked);
  });

  it('keeps the previous catalog if the current one is damaged and cannot be replaced', async () => {
    putFile(home, SESSION, userRecord(1, 'Which port?'));
    const [kept] = (await synced()).sessions();
    const store = new LibraryCopies(copies);
    await store.saveCatalog([kept!]);
    putFile(copies, 'catalog.json', '{"version":1,"sess');
    const sessions = await store.catalog();
    // Nothing can be written in place of a folder.
    mkdirSync(path.join(copies, 'catalog.json.next'));
    await assert.rejects(store.saveCatalog(sessions));
    assert.equal((await open()).sessions().length, 1);
  });

  it('keeps the previous catalog if the damaged one is read again while it’s replaced', async () => {
    putFile(home, SESSION, userRecord(1, 'Which port?'));
    const [kept] = (await synced()).sessions();
    await new LibraryCopies(copies).saveCatalog([kept!]);
    putFile(copies, 'catalog.json', '{"version":1,"sess');
    let reading: Promise<unknown> | undefined;
    const store: LibraryCopies = new LibraryCopies(copies, () => {
      reading = store.catalog();
      return Promise.resolve(true);
    });
    const sessions = await store.catalog();
    // Nothing can be written in place of a folder.
    mkdirSync(path.join(copies, 'catalog.json.next'));
    await assert.rejects(store.saveCatalog(sessions));
    await reading;
    assert.equal((await open()).sessions().length, 1);
  });

  it('has its catalog in place at any time, also if saving the next one is interrupted', async () => {
    putFile(home, SESSION, userRecord(1, 'Which port?'));
    const [kept] = (await synced()).sessions();
    // Nothing can be written in place of a folder.
    mkdirSync(path.join(copies, 'catalog.json.next'));
    await assert.rejects(new LibraryCopies(copies).saveCatalog([]));
    assert.match(readFileSync(path.join(copies, 'catalog.json'), 'utf8'), new RegExp(kept!.key));
    assert.equal((await open()).sessions().length, 1);
  });

  it('recognizes a session that the tool has moved, and moved back', async () => {
    const id = '0199a213-81c0-7800-8aa1-bbab2a035a53';
    const record = (type: string, payload: object): string => jsonl({ timestamp: iso(0), type, payload });
    const content = [{ type: 'input_text', text: 'Which port?' }];
    const name = `rollout-2026-03-02T09-00-00-${id}.jsonl`;
    const file = putFile(
      home,
      `.codex/sessions/2026/03/02/${name}`,
      record('session_meta', { id, cwd: '/home/sam/api' }) +
        record('response_item', { type: 'message', role: 'user', content }),
    );
    const library = await synced();
    const archived = putFile(home, `.codex/archived_sessions/${name}`, '');
    for (const [from, to] of [
      [file, archived],
      [archived, file],
    ] as const) {
      renameSync(from, to);
      assert.deepEqual(await library.sync(sources), { read: 0, unchanged: 1, gone: 0, unreadable: [] });
      const paths = (await open()).sessions().map(({ entry, isGone }) => [entry.path, isGone]);
      assert.deepEqual(paths, [[to, false]]);
    }
    renameSync(file, archived);
    appendFileSync(archived, record('response_item', { type: 'message', role: 'user', content }));
    assert.equal((await library.sync(sources)).read, 1);
    assert.equal((await only(await open())).messages.length, 2);
  });

  it('contains Zed’s threads only once on a case-insensitive disk', async () => {
    TOOL_FIXTURES.find(({ tool }) => tool === 'zed')!.write(home);
    const data = path.join(home, '.local/share');
    // Like on such a disk, both names refer to one folder.
    symlinkSync(path.join(data, 'zed'), path.join(data, 'Zed'));
    const library = await open();
    assert.equal((await library.sync(sources)).read, 1);
  });

  it('lists a Copilot chat stored in two files as one session and its copy', async () => {
    const write = (folder: string): string => {
      const files = TOOL_FIXTURES.filter(({ tool }) => tool === 'copilot-chat').map((fixture) => fixture.write(home));
      const found = files.find((file) => file.includes(folder))!;
      for (const file of files) if (file !== found) rmSync(file, { force: true });
      return found;
    };
    const transcript = readFileSync(write('transcripts'), 'utf8').replaceAll('copilot-1', 'v1');
    const workspace = path.dirname(path.dirname(write('chatSessions/v1.json')));
    putFile(workspace, 'GitHub.copilot-chat/transcripts/v1.jsonl', transcript);
    const library = await open();
    assert.equal((await library.sync(sources)).read, 2);
    assert.deepEqual(
      library
        .sessions()
        .map(({ relation }) => relation?.kind)
        .sort(),
      ['copy', undefined],
    );
  });

  it('stops when cancelled, and continues later', async () => {
    for (let index = 0; index < 5; index++)
      putFile(home, `.claude/projects/p/${index}.jsonl`, userRecord(1, `Session ${index}`));
    const library = await open();
    let done = 0;
    await library.sync(sources, { onProgress: () => done++, isCancelled: () => done === 2 });
    assert.equal(library.sessions().length, 2);
    assert.equal((await (await open()).sync(sources)).read, 3);
  });

  it('forgets the chats of one tool and keeps the others', async () => {
    putFile(home, SESSION, userRecord(1, 'Which port?'));
    TOOL_FIXTURES.find(({ tool }) => tool === 'codex')!.write(home);
    const library = await synced();
    // Written by a sync that was killed.
    for (const name of ['claude-code-0a1b.jsonl.gz', 'claude-code-0a1b.index']) putFile(copies, name, 'x');
    const store = new LibraryCopies(copies);
    assert.deepEqual(await store.tools(), ['claude-code', 'codex']);
    await library.forget('claude-code');
    assert.deepEqual(await store.tools(), ['codex']);
    const tools = (await open()).sessions().map(({ entry }) => entry.tool);
    assert.deepEqual(tools, ['codex']);
    const others = readdirSync(copies).filter((name) => !/^codex-/.test(name));
    assert.deepEqual(others, ['catalog.json']);
  });

  it('removes the chats that a tool has deleted if it’s a cache', async () => {
    for (const name of ['a', 'b']) putFile(home, `.claude/projects/p/${name}.jsonl`, userRecord(1, `Session ${name}`));
    const library = await open();
    await library.sync(sources, { removesGone: true });
    const [kept, deleted] = library.sessions().toSorted((a, b) => (a.entry.path < b.entry.path ? -1 : 1));
    rmSync(deleted!.entry.path);
    assert.equal((await library.sync(sources, { removesGone: true })).gone, 1);
    const keys = (await open()).sessions().map(({ key }) => key);
    assert.deepEqual(keys, [kept!.key]);
    const left = readdirSync(copies).filter((name) => name.includes(deleted!.key));
    assert.deepEqual(left, []);
  });

  it('shows what another process has copied once it’s reloaded', async () => {
    const library = await open();
    putFile(home, SESSION, userRecord(1, 'Which port?'));
    await (await open()).sync(sources);
    assert.deepEqual(library.sessions(), []);
    await library.reload();
    assert.deepEqual(texts(await only(library)), ['Which port?']);
    assert.equal((await library.index.search(library.sessions(), { text: 'port', limit: 5 })).length, 1);
  });

  it('is readable only by the user', async function () {
    if (process.platform === 'win32') this.skip();
    putFile(home, SESSION, userRecord(1, 'Which port?'));
    await (await open()).sync(sources);
    for (const name of ['.', ...readdirSync(copies)])
      assert.equal(statSync(path.join(copies, name)).mode & 0o077, 0, name);
  });
});
