import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { StoreFault, type SessionJournal } from '../../src/app/ports.ts';
import { messageText } from '../../src/core/model/message.ts';
import type { SessionState } from '../../src/core/state/session-state.ts';
import { foldedState } from '../support/folded-state.ts';
import { sessionToMarkdown } from '../../src/core/transcript/markdown-export.ts';
import { sessionToJsonl } from '../../src/core/transcript/session-jsonl.ts';
import { TranscriptError } from '../../src/core/transcript/transcript-message.ts';
import { TranscriptReader } from '../../src/core/transcript/transcript-reader.ts';
import { MessageViews } from '../../src/host/chat/message-views.ts';
import { parseHostMessage, parsePageMessage } from '../../src/protocol/messages.ts';
import { messageViewSchema } from '../../src/protocol/views.ts';
import { nativeChecksum } from '../../src/storage/checksum.ts';
import { FileSessionStore } from '../../src/storage/session-store.ts';
import {
  joinSnapshots,
  readSnapshots,
  SNAPSHOT_VERSION,
  snapshotEvents,
  snapshotSession,
} from '../../src/storage/snapshot.ts';
import { damaged, mutated } from '../support/mutate.ts';
import { Random } from '../support/random.ts';
import { inFolder, messageAdded, testClock } from '../unit/storage/test-store.ts';
import * as v from 'valibot';

const LONG = process.env['THREADKEEPER_LONG'] !== undefined;
const SEED = Number(process.env['THREADKEEPER_SEED'] ?? (LONG ? Date.now() % 2 ** 31 : 20261123));
/** Number of cases: a sixtieth of those in a long run, unless this is one. */
const times = (long: number): number => (LONG ? long : Math.ceil(long / 60));
/** Maximum time for reading any input, in ms. */
const MAX_READ_MS = 2_000;

/** Runs numbered cases, and reports the seed of a failing one. */
async function each(what: string, count: number, run: (random: Random) => Promise<void> | void): Promise<void> {
  let slowest = 0;
  for (let at = 0; at < count; at++) {
    const began = process.cpuUsage();
    try {
      await run(new Random(SEED + at));
    } catch (error) {
      throw new Error(`${what}: THREADKEEPER_SEED=${SEED + at} fails as its first case`, { cause: error });
    }
    slowest = Math.max(slowest, process.cpuUsage(began).user / 1000);
  }
  console.log(`      ${what}: ${count} cases from seed ${SEED}, slowest ${Math.round(slowest)} ms`);
  assert.ok(slowest < MAX_READ_MS, `${what} held for ${slowest} ms`);
}

const meter = { providerTokens: (counted: number) => counted };
const counts = { of: () => ({ body: 1 }) };

/** Whatever can be read can be shown, exported, and stored. */
function checkUsable(state: SessionState): void {
  const messages = [...state.messages.values()];
  const views = new MessageViews({ state, meter, counts, counter: { attachment: () => 1 } } as never);
  for (const message of messages) {
    assert.ok(v.is(messageViewSchema, views.of(message)), 'the page takes it');
    assert.doesNotThrow(() => new Date(message.at).toISOString());
  }
  assert.ok([...sessionToMarkdown({ title: 't', messages })].length > 0);
  assert.equal([...sessionToJsonl(messages)].length, messages.length);
  const snapshot = snapshotSession(state);
  if (!snapshot) return;
  const kept: unknown = JSON.parse(JSON.stringify({ v: SNAPSHOT_VERSION, live: [snapshot] }));
  const read = readSnapshots(kept);
  assert.ok(read.kind === 'valid' && read.snapshots.live.length === 1, 'the snapshot is read back');
}

const texts = (journal: SessionJournal): string[] => [...journal.state.messages.values()].map(messageText);

/** Opens a modified journal, appends three messages, and opens it again. */
async function checkAppendable(folder: string, id: SessionJournal['id']): Promise<void> {
  const first = new FileSessionStore({ folder, clock: testClock('a'), writer: 'a' });
  try {
    const journal = await first.open(id);
    checkUsable(journal.state);
    if (journal.readOnly !== undefined) return;
    for (const n of [90, 91, 92]) await journal.append(messageAdded(n));
  } catch (error) {
    if (StoreFault.is(error)) return;
    throw error;
  } finally {
    await first.close();
  }
  const second = new FileSessionStore({ folder, clock: testClock('b'), writer: 'b' });
  try {
    const again = await second.open(id);
    for (const n of [90, 91, 92]) assert.ok(texts(again).includes(`message ${n}`), `message ${n} was acknowledged`);
    checkUsable(again.state);
  } finally {
    await second.close();
  }
}

async function written(folder: string) {
  const store = new FileSessionStore({ folder, clock: testClock(), writer: 'w' });
  const journal = await store.create('Build', 'w');
  for (let n = 0; n < 8; n++) await journal.append(messageAdded(n));
  await journal.append({ type: 'session_renamed', title: 'Built' });
  await store.close();
  const file = path.join(folder, `${journal.id}.jsonl`);
  return { id: journal.id, file, bytes: await readFile(file) };
}

/** Lines with valid checksums and any content, in any order. */
function forged(bytes: Buffer, random: Random): Buffer {
  const lines = bytes.toString().trimEnd().split('\n');
  for (let count = 1 + random.below(3); count > 0; count--) {
    const at = random.below(lines.length);
    const changed = mutated(JSON.parse(lines[at]!.replace(/,"sum":"[0-9a-f]{8}"\}$/, '}')), random);
    const open = (JSON.stringify(changed) ?? 'null').slice(0, -1);
    const line = `${open},"sum":"${nativeChecksum(open)}"}`;
    if (random.below(2) === 0) lines[at] = line;
    else lines.splice(random.below(lines.length + 1), 0, line);
  }
  return Buffer.from(`${lines.join('\n')}\n`);
}

describe('tampered data', () => {
  it('a journal with forged lines can be continued, and keeps new messages', () =>
    inFolder(async (folder) => {
      const { id, file, bytes } = await written(folder);
      await each('journals', times(8_300), async (random) => {
        // Files beside the journal are of the one before.
        for (const name of await readdir(folder)) await rm(path.join(folder, name));
        await writeFile(file, forged(bytes, random));
        await checkAppendable(folder, id);
      });
    })).timeout(7_200_000);

  it('a tampered snapshot is read or rejected without throwing', () =>
    inFolder(async (folder) => {
      const { id } = await written(folder);
      const store = new FileSessionStore({ folder, clock: testClock(), writer: 'w' });
      const live = snapshotSession((await store.open(id)).state)!;
      await store.close();
      const whole: unknown = JSON.parse(
        JSON.stringify({ v: SNAPSHOT_VERSION, live: [live, { ...live, id: 'other' }] }),
      );
      await each('snapshots', times(8_000), (random) => {
        const read = readSnapshots(mutated(whole, random));
        if (read.kind !== 'valid') return;
        joinSnapshots({ workspace: 'w', index: [], live: [live] }, read.snapshots);
        for (const one of read.snapshots.live) foldedState(snapshotEvents(one));
      });
    })).timeout(7_200_000);

  it('a tampered transcript gives a clear error, or an import that can be shown and read back', () =>
    inFolder(async (folder) => {
      const from = path.join(import.meta.dirname, '../fixtures/transcripts');
      const bases = readdirSync(from).map((name) => readFileSync(path.join(from, name)).subarray(0, 40_000));
      let stored = 0;
      await each('imports', times(12_000), async (random) => {
        const base = random.pick(bases);
        let text = damaged(base, random).toString();
        if (random.below(2) === 0) {
          const lines = base.toString().split('\n');
          const at = random.below(lines.length);
          try {
            lines[at] = JSON.stringify(mutated(JSON.parse(lines[at]!), random)) ?? '';
            text = lines.join('\n');
          } catch {
            // Not all formats are JSON Lines.
          }
        }
        const reader = new TranscriptReader();
        const messages = [];
        try {
          for (let start = 0; start < text.length;) {
            const end = start + 1 + random.below(20_000);
            messages.push(...reader.push(text.slice(start, end)));
            start = end;
          }
          messages.push(...reader.end());
        } catch (error) {
          assert.ok(TranscriptError.is(error), String(error));
          return;
        }
        if (random.below(10) !== 0) return;
        const store = new FileSessionStore({ folder, clock: testClock(`i${stored++}-`), writer: `w${stored}` });
        const journal = await store.create('Imported', 'w');
        for (const [n, { role, text: words, blocks, at = 0 }] of messages.slice(0, 20).entries()) {
          const { message } = messageAdded(n, words);
          await journal.append({
            type: 'message_added',
            message: { ...message, role, at, ...(blocks && { content: blocks }) },
          });
        }
        checkUsable(journal.state);
        const count = journal.state.messages.size;
        await store.close();
        const again = new FileSessionStore({ folder, clock: testClock('r'), writer: 'r' });
        assert.equal((await again.open(journal.id)).state.messages.size, count);
        await again.close();
      });
    })).timeout(7_200_000);

  it('a tampered message between host and page is parsed or rejected without throwing', async () => {
    const bodies = [
      { type: 'send', session: 's1', text: 'x', attachments: ['a'], pasted: [] },
      { type: 'openLink', href: 'https://example.org' },
      { type: 'attach', session: 's1', what: { kind: 'file', path: 'a/b' } },
      { type: 'runCommand', session: 's1', command: 'newSession' },
      { type: 'retry', message: 'm1' },
    ];
    const messages = [
      ...bodies.map((body, id) => ({ type: 'request', id, body })),
      { type: 'ready', version: 1 },
      { type: 'rendering', message: 'm1' },
      { type: 'setDraft', session: 's', text: 'x' },
    ];
    await each('page messages', times(12_000), (random) => {
      const message = mutated(random.pick(messages), random);
      parsePageMessage(message);
      parseHostMessage(message);
    });
  }).timeout(3_600_000);

  it('tampered usage figures from a server never lose a reply', () =>
    inFolder(async (folder) => {
      const store = new FileSessionStore({ folder, clock: testClock(), writer: 'w' });
      const journal = await store.create('Build', 'w');
      let count = 0;
      await each('usage figures', times(2_000), async (random) => {
        const usage = mutated({ input: 5, output: 6, cachedInput: 1 }, random);
        const { message } = messageAdded(count++);
        // A server's answer is untyped until it's validated.
        await journal.append({ type: 'message_added', message: Object.assign({ ...message }, { usage }) });
      });
      await store.close();
      const again = new FileSessionStore({ folder, clock: testClock('r'), writer: 'r' });
      assert.equal((await again.open(journal.id)).state.messages.size, count);
      await again.close();
    })).timeout(3_600_000);
});
