import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { copyFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { nativeChecksum } from '../../../src/storage/checksum.ts';
import { decodeLine, encodeLine, JOURNAL_VERSION } from '../../../src/storage/journal-line.ts';
import { keyEventId, messageId, nodeId, sessionId } from '../../../src/core/model/ids.ts';
import type { SessionState } from '../../../src/core/state/session-state.ts';
import { foldedState } from '../../support/folded-state.ts';
import { readSnapshots, SNAPSHOT_VERSION, snapshotEvents } from '../../../src/storage/snapshot.ts';
import { inFolder, storeIn } from './test-store.ts';

const fixture = (name: string): URL => new URL(`../../fixtures/formats/${name}`, import.meta.url);

/** The frozen session's content, in any version of the format. */
function assertFrozenSession(state: SessionState): void {
  assert.deepEqual([state.title, state.workspace, state.policy], ['Boats', 'folder:file:///new', 'steady']);
  assert.deepEqual([state.archived, state.pinned, state.deleted], [false, true, false]);
  assert.deepEqual([...state.path], ['m1', 'm2', 'm3', 'm4', 'm5']);
  assert.equal(state.counters.messagesEver, 6);
  assert.deepEqual(state.messages.get(messageId('m4'))?.content, [
    { type: 'tool_result', callId: 'c', text: 'a b', isError: false },
  ]);
  assert.deepEqual(state.messages.get(messageId('m1'))?.attachments?.[0]?.lines, [1, 2]);
  assert.equal(state.messages.get(messageId('m2'))?.usage?.cacheWrite, 1);
  assert.equal(state.task?.goal, 'Rest');
  assert.equal(state.endedTasks[0]?.steps[0]?.status, 'done');
  assert.equal(state.nodes.get(nodeId('n1'))?.detailed, 'SQLite it is.');
  const ranges = state.frontier.map(({ from, to }) => [from, to]);
  assert.deepEqual(ranges, [[0, 1]]);
  const event = state.events.get(keyEventId('e1'));
  assert.deepEqual([event?.kind, event?.quote, event?.pinned], ['constraint', 'SQLite', true]);
  assert.ok(state.isRemoved(keyEventId('e2')));
  assert.equal(state.counters.chatCostUsd, 0.01);
  assert.equal(state.escalation, 'token_overflow');
}

describe('files written by earlier versions', () => {
  it('exist as fixtures for every journal and snapshot version', async () => {
    const names = await readdir(fixture(''));
    for (let n = 1; n <= JOURNAL_VERSION; n++) assert.ok(names.includes(`journal-v${n}.jsonl`), `journal ${n}`);
    for (let n = 1; n <= SNAPSHOT_VERSION; n++) assert.ok(names.includes(`snapshots-v${n}.json`), `snapshots ${n}`);
  });

  it('open with their complete content, for every journal version', () =>
    inFolder(async (folder) => {
      for (const name of (await readdir(fixture(''))).filter((one) => one.endsWith('.jsonl'))) {
        await copyFile(fixture(name), join(folder, 's1.jsonl'));
        const store = storeIn(folder, 'w');
        const journal = await store.open(sessionId('s1'));
        assert.equal(journal.notice, undefined, name);
        assertFrozenSession(journal.state);
        await store.close();
      }
    }));

  it('contain only known journal lines, which re-encode to the same events', () => {
    const lines = readFileSync(fixture(`journal-v${JOURNAL_VERSION}.jsonl`), 'utf8')
      .trimEnd()
      .split('\n');
    for (const line of lines) {
      const decoded = decodeLine(line);
      assert.equal(decoded.kind, 'event', line.slice(0, 100));
      if (decoded.kind !== 'event') continue;
      const again = decodeLine(encodeLine(decoded.envelope));
      assert.deepEqual(again.kind === 'event' && again.envelope, decoded.envelope);
    }
  });

  it('keep a model’s verdicts on a summary, and reset those made without a model to unchecked', () => {
    const statements = [
      ['told_otherwise', undefined],
      ['supported', undefined],
      ['unknown_quote', undefined],
      ['supported', true],
      ['name_differs', true],
      ['negation_differs', true],
    ].map(([reason, isByCode]) => ({ start: 0, end: 4, reason, sources: [], isByCode }));
    const body = { type: 'node_checked', node: 'n1', check: { level: 'brief', model: 'a/b', at: 1, statements } };
    const open = JSON.stringify({ v: JOURNAL_VERSION, seq: 1, at: 5, writer: 'w', body }).slice(0, -1);
    const decoded = decodeLine(`${open},"sum":"${nativeChecksum(open)}"}`);
    assert.ok(decoded.kind === 'event' && decoded.envelope.body.type === 'node_checked');
    const reasons = decoded.envelope.body.check.statements.map(({ reason }) => reason);
    assert.deepEqual(reasons, ['told_otherwise', 'supported', 'no_source', 'unchecked', 'unchecked', 'unchecked']);
  });

  it('restore the session from a snapshot', () => {
    const read = readSnapshots(JSON.parse(readFileSync(fixture('snapshots-v1.json'), 'utf8')));
    assert.equal(read.kind, 'valid');
    if (read.kind !== 'valid') return;
    const [live] = read.snapshots.live;
    assert.ok(live);
    const state = foldedState(snapshotEvents(live));
    assert.deepEqual([state.title, state.task?.goal], ['Boats', 'Rest']);
    assert.equal(state.frontier[0]?.node.detailed, 'SQLite it is.');
    assert.equal(state.path.at(-1), 'm5');
  });
});
