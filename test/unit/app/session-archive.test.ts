import assert from 'node:assert/strict';
import { SessionArchive } from '../../../src/app/session-archive.ts';
import { keyEventId } from '../../../src/core/model/ids.ts';
import type { KeyEvent } from '../../../src/core/model/key-event.ts';
import { Harness, fill } from './harness.ts';

describe('decisions requested by another chat', () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await Harness.open();
  });
  afterEach(() => harness.close());

  it('are those of the active branch, including ones that had no room in the context', async () => {
    const conversation = await harness.converse();
    const { journal, state } = conversation;
    await fill(conversation, 6);
    const decide = (at: number, status: KeyEvent['status']): Promise<void> =>
      journal.append({
        type: 'event_added',
        event: {
          id: keyEventId(`event-${at}`),
          message: state.path[at]!,
          kind: 'decision',
          ...{ start: 0, end: 4, quote: `Decision ${at}`, score: 1, importance: 3, reason: 'test', pinned: false },
          status,
        },
      });
    await decide(0, 'active');
    await decide(2, 'dropped');
    await decide(4, 'active');
    const figures = {
      createdAt: 0,
      updatedAt: 0,
      messages: 6,
      bytes: 0,
      archived: false,
      pinned: false,
      deleted: false,
    };
    const archive = new SessionArchive({
      search: () => Promise.resolve([]),
      list: () => Promise.resolve([{ id: journal.id, title: '', workspace: 'test', ...figures }]),
      read: () => Promise.resolve(state),
      memory: () => Promise.resolve([]),
    });
    const quotes = async () => (await archive.decisions(() => false)).decisions.map((one) => [one.message, one.text]);
    assert.deepEqual(await quotes(), [
      [1, 'Decision 0'],
      [3, 'Decision 2'],
      [5, 'Decision 4'],
    ]);
    await conversation.moveHead(state.path[3]!);
    assert.deepEqual(await quotes(), [
      [1, 'Decision 0'],
      [3, 'Decision 2'],
    ]);
  });
});
