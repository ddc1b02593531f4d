import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeLine } from '../../../src/storage/journal-line.ts';
import { messageId, sessionId } from '../../../src/core/model/ids.ts';
import { messageText } from '../../../src/core/model/message.ts';
import { FileSessionStore } from '../../../src/storage/session-store.ts';
import { Random } from '../../support/random.ts';
import { messageAdded, testClock } from '../../unit/storage/test-store.ts';
import { unflushed } from './unflushed.ts';

/** The seed of a case in which no checkpoint can be written, and the one from before the damage is outdated. */
const WITHOUT_BEGINNING = 5709;
const CASES = process.env['THREADKEEPER_LONG'] ? 10_000 : 200;

type Damage = (bytes: Buffer, below: (n: number) => number, other: Buffer) => Buffer;
const DAMAGES: Record<string, Damage> = {
  flip: (bytes, below) => {
    const spoiled = Buffer.from(bytes);
    for (let n = 0; n <= below(4); n++) spoiled[below(spoiled.length)]! ^= 1 << below(8);
    return spoiled;
  },
  cut: (bytes, below) => bytes.subarray(0, below(bytes.length)),
  hole: (bytes, below) => {
    const at = below(bytes.length);
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + below(200))]);
  },
  zeros: (bytes, below) => Buffer.from(bytes).fill(0, below(bytes.length), bytes.length - below(bytes.length / 2)),
  zeroTail: (bytes, below) => Buffer.concat([bytes, Buffer.alloc(1 + below(5_000))]),
  twice: (bytes, below) => {
    const lines = bytes.toString().split('\n');
    lines.splice(below(lines.length), 0, lines[below(lines.length)]!);
    return Buffer.from(lines.join('\n'));
  },
  swappedLines: (bytes, below) => {
    const lines = bytes.toString().split('\n');
    const [taken] = lines.splice(below(lines.length), 1);
    lines.splice(below(lines.length), 0, taken!);
    return Buffer.from(lines.join('\n'));
  },
  swappedFile: (_, __, other) => other,
  otherInside: (bytes, below, other) => {
    const at = below(bytes.length);
    return Buffer.concat([bytes.subarray(0, at), other.subarray(below(other.length)), bytes.subarray(at)]);
  },
  invalidUtf8: (bytes, below) => {
    const at = below(bytes.length);
    return Buffer.concat([bytes.subarray(0, at), Buffer.from([0xff, 0xc3, 0x28, 0xed, 0xa0]), bytes.subarray(at)]);
  },
  hugeLine: (bytes, below) => {
    const at = below(bytes.length);
    return Buffer.concat([bytes.subarray(0, at), Buffer.alloc(300_000, 'x'), bytes.subarray(at)]);
  },
  empty: () => Buffer.alloc(0),
};
const KINDS = Object.keys(DAMAGES);

/** IDs of the messages in a file's valid lines, which every reader must find. */
function soundMessages(bytes: Buffer): Set<string> {
  const found = new Set<string>();
  for (const line of bytes.toString().split('\n')) {
    const decoded = decodeLine(line);
    if (decoded.kind === 'event' && decoded.envelope.body.type === 'message_added')
      found.add(decoded.envelope.body.message.id);
  }
  return found;
}

describe('session store with randomly damaged files', function () {
  this.timeout(240_000 + CASES * 200);
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'threadkeeper-damage-'));
  });
  /** The number of passed cases, for the report. It's lower if one fails. */
  const right = { journals: 0, checkpoints: 0 };
  after(() => {
    return rm(folder, { recursive: true, force: true });
  });

  async function makeJournal(prefix: string): Promise<{ readonly bytes: Buffer; readonly checkpoint: Buffer }> {
    const store = new FileSessionStore({ folder, clock: testClock(prefix), writer: `w-${prefix}` });
    const journal = await store.create('Fuzz', 'w');
    let parent: string | null = null;
    for (let n = 0; n < 12; n++) {
      const id = `${prefix}-m${n}`;
      const content = [{ type: 'text' as const, text: `Wörter 語 ${n} `.repeat(n * 12) }];
      const links = { id: messageId(id), parent: parent === null ? null : messageId(parent) };
      await journal.append({ type: 'message_added', message: { ...links, role: 'user', content, at: n } });
      parent = id;
    }
    await store.close();
    const path = join(folder, `${journal.id}.jsonl`);
    const bytes = await readFile(path);
    const checkpoint = await readFile(join(folder, `${journal.id}.checkpoint.json`));
    await rm(path);
    return { bytes, checkpoint };
  }

  it(`reads all undamaged lines of a journal, deletes nothing and never throws (${CASES} cases)`, async () => {
    const { bytes: sound, checkpoint } = await makeJournal('a');
    const { bytes: other } = await makeJournal('b');
    const clock = testClock('c');
    for (const seed of [...Array(CASES).keys(), WITHOUT_BEGINNING]) {
      const random = new Random(seed);
      const below = (limit: number): number => random.below(limit);
      let bytes = sound;
      const kinds: string[] = [];
      for (let n = 0; n <= below(3) && bytes.length > 0; n++) {
        const kind = KINDS[below(KINDS.length)]!;
        kinds.push(kind);
        bytes = DAMAGES[kind]!(bytes, below, other);
      }
      const what = `case ${seed}: ${kinds.join(', ')}`;
      const id = sessionId('a1');
      const path = join(folder, `${id}.jsonl`);
      await writeFile(path, bytes);
      // A checkpoint from before the damage.
      if (seed % 2 === 1) await writeFile(join(folder, `${id}.checkpoint.json`), checkpoint);
      const store = new FileSessionStore({ folder, clock, writer: 'fuzz', openForAppend: unflushed });
      const journal = await store.open(id);
      for (const message of journal.state.messages.keys()) journal.state.messages.get(message);
      await journal.append(messageAdded(0));
      const expected = soundMessages(bytes).add('m0');
      // Lines of another session's file have overlapping sequence numbers. They are read unless they contradict.
      const foreign = kinds.some((kind) => kind === 'otherInside' || kind === 'swappedFile');
      for (const message of expected) {
        if (foreign) break;
        assert.ok(journal.state.messages.has(messageId(message)), `${what}: ${message} is read`);
      }
      for (const message of journal.state.messages.keys())
        assert.ok(expected.has(message), `${what}: ${message} is sound`);
      // The checkpoint shows that lines are missing at the end.
      if (seed % 2 === 1 && !foreign && journal.notice === undefined)
        for (const message of soundMessages(sound))
          assert.ok(expected.has(message), `${what}: ${message} is there, or it is told`);
      await store.close();

      const kept = await readFile(path);
      const names = (await readdir(folder)).filter((name) => name.startsWith(`${id}.jsonl.torn`));
      const torn = await Promise.all(names.map((name) => readFile(join(folder, name))));
      const cut = torn.reduce((length, piece) => length + piece.length, 0);
      const start = bytes.length - cut;
      assert.ok(kept.subarray(0, start).equals(bytes.subarray(0, start)), `${what}: what was there is there`);
      assert.ok(Buffer.concat(torn).equals(bytes.subarray(start)), `${what}: what was cut is kept`);
      const again = await store.open(id);
      assert.equal(again.notice, undefined, `${what}: told once`);
      assert.ok(again.state.messages.has(messageId('m0')), what);
      await store.close();
      for (const name of await readdir(folder)) if (name.startsWith(`${id}.`)) await rm(join(folder, name));
      right.journals++;
    }
  });

  it(`lists and opens sessions as in their journals despite a damaged checkpoint (${CASES} cases)`, async () => {
    const place = join(folder, 'checkpoints');
    const store = new FileSessionStore({ folder: place, clock: testClock('k'), writer: 'w' });
    for (const count of [3, 5]) {
      const journal = await store.create(`Session of ${count}`, 'w');
      for (let n = 0; n < count; n++) await journal.append(messageAdded(n));
      await journal.close();
    }
    const expected = await store.list();
    const path = join(place, 'k1.checkpoint.json');
    const [sound, other] = await Promise.all([readFile(path), readFile(join(place, 'k2.checkpoint.json'))]);
    for (let seed = 0; seed < CASES; seed++) {
      const random = new Random(seed);
      const below = (limit: number): number => random.below(limit);
      const kind = KINDS[below(KINDS.length)]!;
      await writeFile(path, DAMAGES[kind]!(sound, below, other));
      const fresh = new FileSessionStore({ folder: place, clock: testClock('l'), writer: 'w' });
      assert.deepEqual(await fresh.list(), expected, `case ${seed}: ${kind}`);
      const opened = await fresh.open(sessionId('k1'));
      const texts = [...opened.state.messages.values()].map(messageText);
      assert.deepEqual(texts, ['message 0', 'message 1', 'message 2'], `case ${seed}: ${kind}`);
      assert.equal(opened.notice, undefined);
      await fresh.close();
      right.checkpoints++;
    }
  });
});
