import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { SessionId } from '../../../src/core/model/ids.ts';
import { Harness, says } from '../../unit/app/harness.ts';
import type { BenchContext } from '../context.ts';
import { syntheticSession } from '../data/synthetic.ts';
import { figure, type Measured } from '../report/figure.ts';
import { grow } from './speed-turns.ts';

/** The heap that a long session uses when opened from its checkpoint, and after a turn. */
export async function measureMemory({ quick, print }: BenchContext): Promise<Measured> {
  const length = quick ? 2_000 : 10_000;
  const name = length.toLocaleString('en-US');
  print(`memory: a session of ${name} messages`);
  await using harness = await Harness.open(says('It is as you say.'));
  const id = await filled(harness, length);
  // Open a tiny session first, so that data that is loaded once for all sessions isn't counted.
  const empty = await harness.reopen(await filled(harness, 2));
  await empty.send('Are you there?');
  await empty.close();
  const before = heap();
  const conversation = await harness.reopen(id);
  conversation.context();
  const opened = heap() - before;
  await conversation.send('And what is left to do?');
  await conversation.settled();
  const used = heap() - before;
  assert.equal(conversation.state.path.length >= length, true);
  await conversation.close();
  harness.requests.length = 0;
  const kilobytes = (bytes: number): number => Math.max(0, bytes) / 1_024;
  return {
    figures: [
      figure(
        `speed.memory${length}.opened`,
        `heap used by an open session of ${name} messages with its request assembled`,
        kilobytes(opened),
        'KB',
      ),
      figure(`speed.memory${length}.used`, 'the same, after a turn', kilobytes(used), 'KB'),
    ],
  };
}

/** Writes a session to disk, closes it, and returns its ID. */
async function filled(harness: Harness, length: number): Promise<SessionId> {
  const conversation = await harness.converse();
  await grow(conversation, syntheticSession(length));
  await conversation.close();
  return conversation.journal.id;
}

/** Bytes in use after garbage collection, including buffers outside the heap. */
function heap(): number {
  setFlagsFromString('--expose_gc');
  const collect: unknown = runInNewContext('gc');
  assert.ok(typeof collect === 'function');
  for (let n = 0; n < 3; n++) collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
