import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { SessionState } from '../../../src/core/state/session-state.ts';
import {
  BODIES_BYTES,
  bytesOf,
  joinSnapshots,
  readSnapshots,
  snapshotEvents,
  SNAPSHOTS_BYTES,
  snapshotSession,
} from '../../../src/storage/snapshot.ts';
import { foldedState } from '../../support/folded-state.ts';
import { anySession, summarizedSession } from './sessions.ts';
import { runs } from '../runs.ts';

/** The generator also creates objects without a prototype, which wouldn't be equal. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('a snapshot of any history', () => {
  it('stays within its size limit, and is read back unchanged', () => {
    fc.assert(
      fc.property(fc.oneof(anySession, summarizedSession), fc.integer({ min: 1, max: 60 }), (events, times) => {
        const snapshot = snapshotSession(foldedState(events))!;
        assert.ok(bytesOf(snapshot.bodies) <= BODIES_BYTES + 2);
        const live = Array.from({ length: times }, (_, n) => ({
          ...snapshot,
          id: `${snapshot.id}${n}` as typeof snapshot.id,
        }));
        const all = joinSnapshots({ workspace: snapshot.workspace, index: [], live }, undefined);
        assert.ok(bytesOf(all) <= SNAPSHOTS_BYTES, `${bytesOf(all)} bytes`);
        const stored: unknown = JSON.parse(JSON.stringify(all));
        const read = readSnapshots(stored);
        assert.ok(read.kind === 'valid');
        assert.deepEqual(JSON.parse(JSON.stringify(read.snapshots)), stored);
      }),
      runs(60),
    );
  });

  it('restores the newest messages, the summaries in their places, and every key event it kept', () => {
    fc.assert(
      fc.property(fc.oneof(anySession, summarizedSession), (events) => {
        const state = foldedState(events);
        const snapshot = snapshotSession(state)!;
        const again = foldedState(snapshotEvents(snapshot));
        const bodies = snapshot.bodies.map(({ id }) => id);
        assert.deepEqual(
          bodies,
          state.path.slice(state.path.length - snapshot.bodies.length),
          'the newest messages are kept, in order',
        );
        const expected = snapshot.bodies.map(({ id }) => id);
        assert.deepEqual(again.path.slice(again.path.length - snapshot.bodies.length), expected);
        for (const { id, content } of snapshot.bodies)
          assert.deepEqual(plain(again.messages.get(id)?.content), plain(content));
        assert.deepEqual(plain([...again.events.values()]), plain(snapshot.ledger));
        const restored = again.frontier.map(({ node }) => node.id);
        assert.deepEqual(
          restored,
          snapshot.frontier.map(({ node }) => node.id),
        );
        const stands = ({ frontier }: SessionState, at: number): boolean =>
          frontier.some(({ from, to }) => from <= at && at <= to);
        for (const { message, status, pinned } of again.frontier.length > 0 ? snapshot.ledger : [])
          if ((pinned || status === 'active') && stands(state, state.positionOf(message) ?? -1))
            assert.ok(stands(again, again.positionOf(message) ?? -1), 'a key event is sent behind a summary');
        assert.equal(again.title, snapshot.title);
      }),
      runs(150),
    );
  });
});
