import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { Library } from '../../../src/app/library/library.ts';
import { TOOLS } from '../../../src/app/library/source.ts';
import { LibraryCopies } from '../../../src/storage/library-copies.ts';
import { FollowedChats } from '../../../src/worker/followed-chats.ts';
import { TOOL_FIXTURES } from '../../support/tool-homes/all-tools.ts';
import { claudeMessage, jsonl, putFile } from '../../support/tool-homes/conversation.ts';
import { folderForEachTest } from '../../support/per-test.ts';
import { traces } from '../../support/traces.ts';

const READER = fileURLToPath(new URL('./reader-process.ts', import.meta.url));
const LONG = process.env['THREADKEEPER_LONG'] !== undefined;
const KILLS = LONG ? 200 : 6;

describe('process that reads chats from other tools', function () {
  this.timeout(240_000 + KILLS * 5_000);
  let place = '';
  let home = '';
  let copies = '';

  folderForEachTest((made) => (place = made));
  beforeEach(() => {
    [home, copies] = [path.join(place, 'home'), path.join(place, 'copies')];
    for (const tool of TOOLS) TOOL_FIXTURES.find((one) => one.tool === tool)?.write(home);
  });

  const args = (): string[] => ['--no-warnings', READER, home, copies];

  it(`loses and duplicates nothing when it is killed at any moment (${KILLS} kills)`, async () => {
    const said = (session: number, index: number): string =>
      jsonl(
        claudeMessage('user', `Message ${index} of ${session}: ${'word '.repeat(400)}`, { sessionId: `s${session}` }),
      );
    const files = Array.from({ length: 30 }, (_, session) => putFile(home, `.claude/projects/p/s${session}.jsonl`, ''));
    let [length, unfinished] = [0, 0];
    let wholeMs = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      for (const [session, file] of files.entries()) {
        for (let index = length; index < length + 3; index++) appendFileSync(file, said(session, index));
      }
      length += 3;
      const child = spawn(process.execPath, args(), { stdio: ['ignore', 'pipe', 'inherit'] });
      let output = '';
      child.stdout.on('data', (chunk: Buffer) => (output += String(chunk)));
      const ended = once(child, 'exit');
      // The first process finishes. The second is killed as soon as it reads, and the others some time later.
      if (kill > 0) {
        await Promise.race([once(child.stdout, 'data'), ended]);
        await new Promise((resolve) => setTimeout(resolve, (((kill - 1) * 7) % 10) * 0.1 * wholeMs));
        child.kill('SIGKILL');
      } else {
        await once(child.stdout, 'data');
        const reading = Date.now();
        await ended;
        wholeMs = Date.now() - reading;
      }
      await ended;
      if (!/\n\d+\n$/.test(output)) unfinished++;
      // A killed process leaves its lock, which others take over once it's stale. Removed here instead of waiting.
      rmSync(path.join(copies, 'library.lock'), { force: true });
    }
    const chats = new FollowedChats({
      folder: copies,
      home: { folder: home, env: {} },
      window: 'last',
      onLibraryEvent: () => undefined,
    });
    await chats.follow({ tools: TOOLS, keepMs: 0 });
    const library = await Library.open(new LibraryCopies(copies));
    for (const session of library.sessions().filter(({ entry }) => /p\/s\d+\.jsonl$/.test(entry.path))) {
      const { messages } = await library.read(session);
      const number = Number(/s(\d+)\.jsonl$/.exec(session.entry.path)![1]);
      const texts = messages.map(({ text }) => `${text.split(':')[0]}`);
      const expected = Array.from({ length }, (_, index) => `Message ${index} of ${number}`);
      assert.deepEqual(texts, expected);
    }
    const hits = await chats.search({ text: `Message 1 of 7`, limit: 2_000, tools: ['claude-code'] });
    assert.equal(new Set(hits.map(({ key, message }) => `${key} ${message}`)).size, hits.length);
    await chats.close();
    console.log(`      ${unfinished} of ${KILLS} ended before they were done`);
    assert.ok(unfinished > 0);
  });

  it('writes only to our folder, according to its system calls', function () {
    const isThere = spawnSync('strace', ['-V']).status === 0;
    if (!LONG || !isThere) this.skip();
    const goose = TOOL_FIXTURES.find(({ tool, format }) => tool === 'goose' && format === 'database')!.write;
    rmSync(path.join(home, '.local/share/goose'), { recursive: true, force: true });
    const tool = new DatabaseSync(goose(home));
    tool.exec('PRAGMA journal_mode = WAL; CREATE TABLE started (at INTEGER)');
    const before = traces(home);
    const log = path.join(place, 'trace');
    const output = execFileSync(
      'strace',
      ['-f', '-y', '-qq', '-e', 'trace=%file,ftruncate', '-o', log, process.execPath, ...args()],
      // With coverage, each process would also write what it ran.
      { encoding: 'utf8', env: { ...process.env, NODE_V8_COVERAGE: '' } },
    );
    assert.match(output, /\n\d{2}\n$/);
    const written = changes(readFileSync(log, 'utf8'));
    const ours = written.filter((file) => file === copies || file.startsWith(copies + path.sep));
    const isTraced = ours.some((file) => file.endsWith('catalog.json'));
    assert.ok(isTraced, 'the trace sees what is written');
    const others = written.filter((file) => !ours.includes(file) && !file.startsWith('/dev/'));
    assert.deepEqual(others, []);
    assert.deepEqual(traces(home), before);
    tool.close();
    console.log(`      ${written.length} calls that change files`);
  });
});

function changes(trace: string): string[] {
  return trace.split('\n').flatMap((line) => {
    const [, call, rest] = /^\d+\s+(\w+)\((.*)$/.exec(line) ?? [];
    if (call === undefined || rest === undefined || / = -1 /.test(line)) return [];
    if (/^open/.test(call) && !/O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND/.test(rest)) return [];
    if (
      !/^(open|creat|mkdir|rmdir|unlink|rename|link|symlink|truncate|ftruncate|chmod|fchmodat|chown|utime|mknod|setxattr)/.test(
        call,
      )
    )
      return [];
    const names = [...rest.matchAll(/"((?:[^"\\]|\\.)*)"|<(\/[^>]*)>/g)].map(
      ([, quoted, resolved]) => quoted ?? resolved!,
    );
    return names.filter((name) => name.startsWith('/') && !(call.endsWith('at') && name === process.cwd()));
  });
}
