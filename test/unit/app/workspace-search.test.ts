import assert from 'node:assert/strict';
import type { SessionListEntry } from '../../../src/app/ports.ts';
import { WorkspaceSearch } from '../../../src/app/workspace-search.ts';
import { compressionWith, type CompressionRecord } from '../../../src/core/journal/schema.ts';
import { compressionId, messageId, nodeId, sessionId } from '../../../src/core/model/ids.ts';
import { nodeWith } from '../../../src/core/model/summary.ts';
import { FileSessionStore, readStoredSession } from '../../../src/storage/session-store.ts';
import { eventLoopYielder } from '../../support/yielders.ts';
import { inFolder, messageAdded, testClock } from '../storage/test-store.ts';
import { keyEvent } from '../../support/key-events.ts';

const WORKSPACE = 'folder:file:///w';

async function session(store: FileSessionStore, title: string, ...texts: readonly string[]): Promise<void> {
  const journal = await store.create(title, WORKSPACE);
  await journal.append(...texts.map((text, n) => messageAdded(n, text)));
  await journal.close();
}

/** A compression whose only node covers the first two messages. */
function compressionOfTwo(): CompressionRecord {
  const place = { first: messageId('m0'), last: messageId('m1'), messages: 2 };
  const told = { title: 'Birds', brief: 'Birds.', detailed: 'Birds were spoken of.' };
  return compressionWith({ id: compressionId('c1'), nodes: [nodeWith({ id: nodeId('n1'), ...place, ...told })] });
}

interface SearchedStore {
  readonly store: FileSessionStore;
  readonly search: WorkspaceSearch;
  /** IDs of the sessions whose journals were read, in order. */
  readonly reads: string[];
  /** IDs of sessions that aren't listed. */
  readonly unlisted: Set<string>;
}

function withSearch(work: (searched: SearchedStore) => Promise<void>): Promise<void> {
  return inFolder(async (folder) => {
    const clock = testClock();
    const store = new FileSessionStore({ folder, clock, writer: 'w' });
    const reads: string[] = [];
    const unlisted = new Set<string>();
    const search = new WorkspaceSearch({
      clock,
      list: async (): Promise<readonly SessionListEntry[]> =>
        (await store.list()).filter((one) => !one.deleted && !unlisted.has(one.id)),
      read: async (id) => {
        reads.push(id);
        return (await readStoredSession(folder, id, eventLoopYielder()))?.state;
      },
    });
    try {
      await work({ store, search, reads, unlisted });
    } finally {
      await store.close();
    }
  });
}

describe('workspace-wide search', () => {
  it('finds the best matches in any session, with title, position, and role', () =>
    withSearch(async ({ store, search }) => {
      await session(store, 'Booking', 'How long is a slot?', 'A slot takes 30 minutes.');
      await session(store, 'Billing', 'Which currency do invoices have?', 'Invoices are in Swiss francs.');
      const [best] = (await search.search({ query: 'invoices francs', limit: 5 })) ?? [];
      assert.partialDeepStrictEqual(best, {
        session: sessionId('s2'),
        title: 'Billing',
        kind: 'message',
        message: 'm1',
        position: 1,
        role: 'assistant',
        tier: 'sent',
        start: 0,
        text: 'Invoices are in Swiss francs.',
      });
      assert.deepEqual(await search.search({ query: 'zebra', limit: 5 }), []);
    }));

  it('says whether each match is sent, summarized, or archived', () =>
    withSearch(async ({ store, search }) => {
      await session(store, 'One', 'kestrel early', 'kestrel answer', 'kestrel late');
      await session(store, 'Two', 'kestrel away');
      const journal = await store.open(sessionId('s1'));
      await journal.append({ type: 'compressed', compression: compressionOfTwo() });
      const other = await store.open(sessionId('s2'));
      await other.append({ type: 'session_archived', archived: true });
      await journal.close();
      await other.close();
      const hits = (await search.search({ query: 'kestrel', limit: 10 })) ?? [];
      assert.deepEqual(hits.map(({ title, position, tier }) => `${title} ${position} ${tier}`).sort(), [
        'One 0 summarized',
        'One 1 summarized',
        'One 2 sent',
        'Two 0 archived',
      ]);
    }));

  it('also finds key events and summaries, with their positions', () =>
    withSearch(async ({ store, search }) => {
      await session(store, 'One', 'Let us take the cheap cedar, finally.', 'Fine.', 'And now something else.');
      const journal = await store.open(sessionId('s1'));
      const { nodes, ...rest } = compressionOfTwo();
      const quote = 'take the cheap cedar';
      const decision = keyEvent(quote, { message: messageId('m0'), kind: 'decision', start: 7 });
      const detailed = 'They spoke of wood for the boathouse.';
      const compression = { ...rest, nodes: nodes.map((node) => ({ ...node, detailed })), events: [decision] };
      await journal.append({ type: 'compressed', compression });
      await journal.close();
      const best = async (query: string): Promise<unknown> => {
        const [hit] = (await search.search({ query, limit: 5 })) ?? [];
        return hit && [hit.kind, hit.message, hit.position, hit.role, hit.tier, hit.text.split('\n').at(-1)];
      };
      assert.deepEqual(await best('which cedar did we decide on?'), ['event', 'm0', 0, 'user', 'summarized', quote]);
      assert.deepEqual(await best('boathouse'), ['summary', 'm0', 0, 'summary', 'summarized', detailed]);
    }));

  it('rereads only changed sessions, and drops deleted ones', () =>
    withSearch(async ({ store, search, reads }) => {
      await session(store, 'One', 'alpha');
      await session(store, 'Two', 'beta');
      await search.search({ query: 'nothing', limit: 5 });
      assert.deepEqual(reads.splice(0).sort(), ['s1', 's2']);
      const journal = await store.open(sessionId('s2'));
      await journal.append(messageAdded(1, 'gamma'));
      assert.equal((await search.search({ query: 'gamma', limit: 5 }))?.length, 1);
      assert.deepEqual(reads.splice(0), ['s2', 's2']);
      await journal.append({ type: 'session_deleted', deleted: true });
      await journal.close();
      assert.deepEqual(await search.search({ query: 'gamma', limit: 5 }), []);
    }));

  it('keeps nothing of sessions that are no longer listed', () =>
    withSearch(async ({ store, search, reads, unlisted }) => {
      await session(store, 'One', 'alpha');
      await session(store, 'Two', 'beta');
      await search.search({ query: 'beta', limit: 5 });
      unlisted.add('s2');
      assert.deepEqual(await search.search({ query: 'beta', limit: 5 }), []);
      unlisted.clear();
      reads.length = 0;
      assert.equal((await search.search({ query: 'beta', limit: 5 }))?.length, 1);
      // Once for the index, and once for the excerpt.
      assert.deepEqual(reads, ['s2', 's2']);
    }));

  it('reports progress, and stops when cancelled', () =>
    withSearch(async ({ store, search, reads }) => {
      for (let n = 0; n < 4; n++) await session(store, `S${n}`, `text ${n}`);
      const steps: string[] = [];
      const cancelled = await search.search({
        query: 'text',
        limit: 5,
        onProgress: (done, total) => steps.push(`${done}/${total}`),
        isCancelled: () => steps.length === 2,
      });
      assert.equal(cancelled, undefined);
      assert.deepEqual(steps, ['1/4', '2/4']);
      assert.equal(reads.length, 2);
      assert.equal((await search.search({ query: 'text', limit: 5 }))?.length, 4);
    }));
});
