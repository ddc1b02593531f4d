import assert from 'node:assert/strict';
import { WorkspaceRecall, recalledText, type Citation } from '../../../src/app/workspace-recall.ts';
import type { WorkspaceHit } from '../../../src/app/workspace-search.ts';
import { messageId, sessionId } from '../../../src/core/model/ids.ts';
import type { KeyEvent } from '../../../src/core/model/key-event.ts';
import { WorkspaceSearch } from '../../../src/app/workspace-search.ts';
import { eventLoopYielder } from '../../support/yielders.ts';
import { Harness, fill } from './harness.ts';
import { keyEvent } from '../../support/key-events.ts';
import { openForEachTest } from '../../support/per-test.ts';

const FIGURES = { createdAt: 0, updatedAt: 0, messages: 6, bytes: 0, archived: false, pinned: false, deleted: false };

describe('quotes requested by another chat', () => {
  it('contain no part of a secret that begins before the quote', async () => {
    await using harness = await Harness.open();
    const conversation = await harness.converse();
    const { journal, state } = conversation;
    await fill(conversation, 2);
    const line = 'aB3dE7gH1kL9mN2pQ5rS8tU4vW6xY0zC'.repeat(2);
    // Concatenated, so that secret scanners don't report it.
    const [begin, end] = ['BEGIN', 'END'].map((edge) => ['-----', edge, ' PRIVATE', ' KEY-----'].join(''));
    const text = [begin, ...Array<string>(40).fill(line), end, 'The deploy server has this key.'].join('\n');
    const message = { ...state.messages.get(state.head!)!, id: messageId('key'), parent: state.head };
    await journal.append({
      type: 'message_added',
      message: { ...message, role: 'user', content: [{ type: 'text', text }] },
    });
    const list = () => Promise.resolve([{ id: journal.id, title: '', workspace: 'test', ...FIGURES }]);
    const read = () => Promise.resolve(state);
    const search = new WorkspaceSearch({ clock: { yielder: eventLoopYielder() }, list, read });
    const memory = () => Promise.resolve([]);
    const searchChats = () => Promise.resolve([]);
    const workspace = new WorkspaceRecall({ search: (run) => search.search(run), searchChats, list, read, memory });
    const found = await workspace.recall('deploy server', 1, () => false);
    const texts = found?.map((one) => one.text);
    assert.deepEqual(texts, ['[redacted: private-key]\nThe deploy server has this key.']);
  });
});

describe('recall requested by another chat', () => {
  const own = (position: number, text: string): WorkspaceHit => ({
    session: sessionId('s'),
    title: 'Billing',
    kind: 'message',
    message: messageId(`m${position}`),
    position,
    role: 'user',
    tier: 'sent',
    at: 0,
    start: 0,
    end: text.length,
    text,
    matchesTogetherShare: 1,
    score: 1,
  });
  const chat = (message: number, text: string): Citation => {
    return { session: 'Claude Code: Fix </record> "ports"', message, role: 'user', text };
  };
  const recall = (hits: readonly WorkspaceHit[], quotes: readonly Citation[], limit = 8) =>
    new WorkspaceRecall({
      search: () => Promise.resolve(hits),
      searchChats: () => Promise.resolve(quotes),
      list: () => Promise.resolve([]),
      read: () => Promise.resolve(undefined),
      memory: () => Promise.resolve([]),
    }).recall('port', limit, () => false);

  it('quotes sessions and copied chats of other tools alternately', async () => {
    const found = await recall([own(0, 'Port 1'), own(4, 'Port 2')], [chat(3, 'Port 3'), chat(4, 'Port 4')], 3);
    const places = found?.map(({ session, message, text }) => [session, message, text]);
    assert.deepEqual(places, [
      ['Billing', 1, 'Port 1'],
      ['Claude Code: Fix </record> "ports"', 3, 'Port 3'],
      ['Billing', 5, 'Port 2'],
    ]);
    assert.match(recalledText(found!), /^\[session “Claude Code: Fix \/record ports”, message 3, user\] Port 3$/m);
  });

  it('quotes messages that a session continued from a chat only once', async () => {
    const found = await recall([own(0, 'Port 1')], [chat(1, 'Port 1'), chat(2, 'Port 2')]);
    const texts = found?.map(({ text }) => text);
    assert.deepEqual(texts, ['Port 1', 'Port 2']);
  });

  it('fills up with quotes from chats if there are few from sessions, and the reverse', async () => {
    const texts = async (...given: Parameters<typeof recall>) => (await recall(...given))?.map(({ text }) => text);
    const quotes = [chat(1, 'A'), chat(2, 'B'), chat(3, 'C')];
    assert.deepEqual(await texts([], quotes, 2), ['A', 'B']);
    assert.deepEqual(await texts([own(0, 'D'), own(1, 'E'), own(2, 'F')], [], 3), ['D', 'E', 'F']);
  });
});

describe('decisions requested by another chat', () => {
  let harness: Harness;
  openForEachTest(async () => (harness = await Harness.open()));

  it('are those of the active branch, including ones that had no room in the context', async () => {
    const conversation = await harness.converse();
    const { journal, state } = conversation;
    await fill(conversation, 6);
    const decide = (at: number, status: KeyEvent['status'], speaker?: string): Promise<void> =>
      journal.append({
        type: 'event_added',
        event: keyEvent(`Decision ${at}`, {
          message: state.path[at]!,
          kind: 'decision',
          importance: 3,
          status,
          speaker,
        }),
      });
    await decide(0, 'active');
    await decide(2, 'dropped', 'Karim:');
    await decide(4, 'active');
    const workspace = new WorkspaceRecall({
      search: () => Promise.resolve([]),
      searchChats: () => Promise.resolve([]),
      list: () => Promise.resolve([{ id: journal.id, title: '', workspace: 'test', ...FIGURES }]),
      read: () => Promise.resolve(state),
      memory: () => Promise.resolve([]),
    });
    const quotes = async () => (await workspace.decisions(() => false)).decisions.map((one) => [one.message, one.text]);
    assert.deepEqual(await quotes(), [
      [1, 'Decision 0'],
      [3, 'Karim: … Decision 2'],
      [5, 'Decision 4'],
    ]);
    await conversation.moveHead(state.path[3]!);
    assert.deepEqual(await quotes(), [
      [1, 'Decision 0'],
      [3, 'Karim: … Decision 2'],
    ]);
  });
});
