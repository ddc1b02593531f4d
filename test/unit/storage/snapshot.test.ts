import assert from 'node:assert/strict';
import type { SessionListEntry } from '../../../src/app/ports.ts';
import { compressionWith, type SessionEvent } from '../../../src/core/journal/schema.ts';
import { selectLedgerLines } from '../../../src/core/context/ledger-lines.ts';
import { compressionId, keyEventId, messageId, nodeId, sessionId } from '../../../src/core/model/ids.ts';
import { nodeWith } from '../../../src/core/model/summary.ts';
import type { SessionState } from '../../../src/core/state/session-state.ts';
import { MessageCounts } from '../../../src/core/tokens/message-counts.ts';
import { loadEncoding, type TokenCounter } from '../../../src/core/tokens/token-counter.ts';
import {
  bytesOf,
  hasFullNames,
  joinSnapshots,
  readSnapshots,
  snapshotEvents,
  type Snapshots,
  snapshotSession,
  SNAPSHOTS_BYTES,
} from '../../../src/storage/snapshot.ts';
import { SNAPSHOTS_KEY, storedSnapshots, type MementoLike } from '../../../src/storage/stored-snapshots.ts';
import { messageAdded } from './test-store.ts';
import { foldedState } from '../../support/folded-state.ts';
import { keyEvent } from '../../support/key-events.ts';

function session(id: string, workspace: string, events: readonly SessionEvent[] = []): SessionState {
  const created: SessionEvent = { type: 'session_created', id: sessionId(id), title: id, workspace };
  return foldedState([created, ...events]);
}

function entry(n: number, workspace: string): SessionListEntry {
  const title = `Session ${n}`;
  const id = sessionId(`s${n}`);
  return {
    id,
    title,
    workspace,
    createdAt: n,
    updatedAt: n,
    messages: n,
    archived: false,
    pinned: false,
    deleted: false,
    bytes: n,
  };
}

function pinned(n: number): SessionEvent {
  const quote = 'Wir nehmen PostgreSQL. '.repeat(10);
  const place = { id: keyEventId(`e${n}`), message: messageId('m0'), pinned: n === 0 };
  return { type: 'event_added', event: keyEvent(quote, { kind: 'decision', ...place }) };
}

class FakeMemento implements MementoLike {
  readonly writes: unknown[] = [];
  stored: unknown;
  get(key: string): unknown {
    return key === SNAPSHOTS_KEY ? this.stored : undefined;
  }
  update(_: string, value: unknown): Promise<void> {
    this.stored = structuredClone(value);
    this.writes.push(value);
    return Promise.resolve();
  }
}

describe('session snapshots', () => {
  let counter: TokenCounter;
  before(async () => {
    counter = await loadEncoding('o200k_base');
  });

  it('ends before a message with a large image, without converting it to JSON', () => {
    const toJSON = (): unknown => assert.fail('It was converted.');
    const image = { type: 'image', mediaType: 'image/png', base64: 'A'.repeat(4_900_000), toJSON } as const;
    const withImage = messageAdded(1);
    const message = { ...withImage.message, content: [...withImage.message.content, image] };
    const state = session('s1', 'w', [messageAdded(0), { ...withImage, message }, messageAdded(2)]);
    const bodies = snapshotSession(state)?.bodies.map(({ id }) => id);
    assert.deepEqual(bodies, ['m2']);
  });

  it('truncate a long title without splitting an emoji', () => {
    const state = session('long', 'w', [{ type: 'session_renamed', title: `${'t'.repeat(299)}😀 and more` }]);
    const { title } = snapshotSession(state)!;
    assert.equal(title, 't'.repeat(299));
    assert.ok(!hasFullNames({ title, workspace: 'w' }));
  });

  it('restore a session’s model, policy, and place in the list', () => {
    const lost = session('lost', 'w', [
      { type: 'model_selected', provider: 'openai', model: 'gpt-4o' },
      { type: 'policy_selected', policy: 'frugal' },
      { type: 'session_archived', archived: true },
      { type: 'session_deleted', deleted: true },
      messageAdded(0),
    ]);
    const { title, provider, model, policy, archived, deleted } = foldedState(snapshotEvents(snapshotSession(lost)!));
    assert.deepEqual([title, provider, model, policy], ['lost', 'openai', 'gpt-4o', 'frugal']);
    assert.deepEqual([archived, deleted], [true, true]);
  });

  it('drop the oldest entries of other workspaces first', () => {
    const here = Array.from({ length: 150 }, (_, n) => entry(n, 'here'));
    const there = Array.from({ length: 2_000 }, (_, n) => entry(10_000 + n, 'there'));
    const all = joinSnapshots({ workspace: 'here', index: [...there, ...here], live: [] }, undefined);
    assert.ok(bytesOf(all) <= SNAPSHOTS_BYTES);
    assert.equal(all.index.filter(({ workspace }) => workspace === 'here').length, 150);
    assert.equal(all.index[150]?.updatedAt, 11_999);
    assert.ok(all.index.length < 2_000);
  });

  it('prefer this window’s entry for a session when both have the same time', () => {
    const others: Snapshots = { v: 1, index: [{ ...entry(1, 'here'), title: 'Before' }], live: [] };
    const all = joinSnapshots({ workspace: 'here', index: [entry(1, 'here')], live: [] }, others);
    const titles = all.index.map(({ title }) => title);
    assert.deepEqual(titles, ['Session 1']);
  });

  it('keep the live sessions of other workspaces while there is room', () => {
    const live = (id: string, workspace: string, length: number) =>
      snapshotSession(session(id, workspace, [messageAdded(0, 'x'.repeat(length))]))!;
    const others: Snapshots = { v: 1, index: [], live: [live('a', 'there', 50_000), live('b', 'there', 100)] };
    const all = joinSnapshots({ workspace: 'here', index: [], live: [live('c', 'here', 60_000)] }, others);
    assert.deepEqual(
      all.live.map(({ id }) => id),
      ['c', 'a', 'b'],
    );
    const again = joinSnapshots({ workspace: 'here', index: [], live: [] }, all);
    const liveHere = again.live.map(({ id }) => id);
    assert.deepEqual(liveHere, ['a', 'b'], 'this workspace has no live session any more');
  });

  it('restore the key events of summarized messages, with their authors', () => {
    const node = (name: string, from: number, to: number) =>
      nodeWith({
        id: nodeId(name),
        first: messageId(`m${from}`),
        last: messageId(`m${to}`),
        messages: to - from + 1,
        // It doesn't fit beside the newer one.
        detailed: name === 'old' ? 'x'.repeat(50_000) : 'They talked.',
      });
    const at = (n: number): SessionEvent => {
      const { event } = pinned(n) as Extract<SessionEvent, { type: 'event_added' }>;
      return { type: 'event_added', event: { ...event, message: messageId(`m${n}`) } };
    };
    const events = [...Array.from({ length: 30 }, (_, n) => messageAdded(n)), at(3), at(14), at(20)];
    const nodes = [node('old', 0, 9), node('new', 10, 20)];
    const compression = compressionWith({ id: compressionId('c'), nodes });
    const state = session('lost', 'w', [...events, { type: 'compressed', compression }]);
    const live = JSON.parse(JSON.stringify(snapshotSession(state))) as unknown;
    const read = readSnapshots({ v: 1, live: [live] });
    assert.ok(read.kind === 'valid');
    const restored = foldedState(snapshotEvents(read.snapshots.live[0]!));
    const sent = (of: SessionState): string[] =>
      selectLedgerLines(of, new MessageCounts(counter), Infinity).kept.map(({ line }) =>
        line.replace(/message \d+/, ''),
      );
    assert.equal(sent(state).length, 3);
    assert.deepEqual(sent(restored), sent(state));
    assert.equal(restored.uncompressedCount, state.uncompressedCount);
  });

  it('are recognized as missing, newer or corrupt', () => {
    const sound = joinSnapshots({ workspace: 'w', index: [], live: [] }, undefined);
    assert.equal(readSnapshots(sound).kind, 'valid');
    assert.equal(readSnapshots(undefined).kind, 'none');
    assert.equal(readSnapshots({ v: 2, sessions: {} }).kind, 'newer');
    for (const bad of [{ ...sound, v: 'x' }, { ...sound, live: {} }, 'text', 5, [], { v: 1 }])
      assert.equal(readSnapshots(bad).kind, 'corrupt');
  });

  it('are read from an old version without a message count, which stays undefined', () => {
    const snapshot = snapshotSession(session('old', 'w', [messageAdded(0)]))!;
    const { messagesEver, ...counters } = snapshot.counters;
    assert.equal(messagesEver, 1);
    const read = readSnapshots({ v: 1, live: [{ ...snapshot, counters }] });
    assert.ok(read.kind === 'valid');
    assert.equal(read.snapshots.live[0]?.counters.messagesEver, undefined);
  });
});

describe('snapshot writer', () => {
  const unexpected = (error: unknown): void => assert.ifError(error);
  const none = (): undefined => undefined;

  it('combines many scheduled writes into a single one on disposal', async () => {
    const memento = new FakeMemento();
    const writer = storedSnapshots(memento, 'w', none, unexpected);
    for (let n = 0; n < 20; n++) writer.schedule();
    assert.equal(memento.writes.length, 0);
    await writer.dispose();
    writer.schedule();
    await writer.flush();
    assert.equal(memento.writes.length, 1);
    assert.equal(writer.status().kind, 'valid');
  });

  it('finds a session that an earlier version stored with the address of a server', async () => {
    const memento = new FakeMemento();
    const state = session('s1', 'localhost:8080!folder:file:///w');
    const earlier = storedSnapshots(memento, state.workspace, () => state, unexpected);
    earlier.schedule();
    await earlier.dispose();
    const [found] = storedSnapshots(memento, 'folder:file:///w', none, unexpected).entries();
    assert.deepEqual([found?.id, found?.workspace], ['s1', 'folder:file:///w']);
  });

  it('leaves the snapshots of a newer version alone', async () => {
    const memento = new FakeMemento();
    memento.stored = { v: 9 };
    const writer = storedSnapshots(memento, 'w', none, unexpected);
    writer.schedule();
    await writer.dispose();
    assert.deepEqual(memento.stored, { v: 9 });
  });

  it('leaves out sessions of which a newer version may know more', async () => {
    const memento = new FakeMemento();
    const writer = storedSnapshots(memento, 'w', none, unexpected);
    writer.setList([entry(1, 'w'), { ...entry(2, 'w'), isNewer: true }]);
    writer.schedule();
    await writer.dispose();
    const ids = writer.storedList().map(({ id }) => id);
    assert.deepEqual(ids, ['s1']);
  });

  it('reports a write that the editor refuses', async () => {
    const faults: unknown[] = [];
    const refusing = { get: () => undefined, update: () => Promise.reject(new Error('no')) };
    const writer = storedSnapshots(refusing, 'w', none, (error) => faults.push(error));
    writer.schedule();
    await writer.dispose();
    assert.equal(faults.length, 1);
  });
});
