import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { messageText } from '../../src/core/model/message.ts';
import { sessionId } from '../../src/core/model/ids.ts';
import { readStoredSession } from '../../src/storage/session-store.ts';
import { verifyJournal } from '../../src/storage/verify-journal.ts';
import { alwaysDue } from '../support/yielders.ts';
import type { WireServer } from '../support/wire-server.ts';
import { chatServerSettings, ChatPage, startModelServer } from './chat-page.ts';
import { globalStorageFolder } from './editor.ts';
import { eventually } from './eventually.ts';

const TURNS = process.env.THREADKEEPER_LONG === undefined ? 12 : 200;
/** The active window changes after this many turns. */
const TURNS_PER_WINDOW = [1, 2, 3, 1];
/** Numbered, so that gaps and repetitions are visible. Long enough to stream for some seconds. */
const STREAMED = Array.from({ length: 300 }, (_, index) => `w${index}`).join(' ');

const question = (turn: number): string => `Question number ${turn}?`;
const answer = (text: string): string => `Here is what I know: ${text.replace('?', '')} is answered.`;

describe('two windows on one workspace', function () {
  this.timeout(TURNS * 15_000 + 600_000);
  // Each test continues with the windows as the previous one left them.
  this.bail(true);
  this.retries(0);
  let server: WireServer;
  let first: ChatPage;
  let second: ChatPage;
  let asked = 0;
  const stopped = new Map<number, 'reload' | 'take-over'>();

  before(async () => {
    server = await startModelServer();
    server.answerWith(answer);
    first = await ChatPage.open('two-windows', {
      ...chatServerSettings(server),
      'threadkeeper.compression.strategy': 'off',
    });
    await turn(first);
    second = new ChatPage(await first.workbench.openSecondWindow());
    await second.show();
  });

  after(async () => {
    await second?.workbench.close();
    await first?.workbench.close();
  });

  const takeOverButton = (chat: ChatPage) => chat.button('Take Over');

  /** Sends the next question in a window, and waits for the complete reply. */
  async function turn(chat: ChatPage): Promise<void> {
    const text = question(asked++);
    await chat.send(text, answer(text));
  }

  /** Selects *Take over*, and waits until both windows know which one is the writer. */
  async function takeOver(chat: ChatPage, from: ChatPage): Promise<void> {
    await takeOverButton(chat).click();
    await takeOverButton(chat).waitFor({ state: 'detached' });
    await takeOverButton(from).waitFor();
  }

  /** The window that can write. Waits until exactly one of the two can. */
  async function theWriter(): Promise<ChatPage> {
    for (;;) {
      const follows = await Promise.all([first, second].map((chat) => takeOverButton(chat).isVisible()));
      if (follows[0] !== follows[1]) return follows[0] === true ? second : first;
      await first.workbench.page.waitForTimeout(100);
    }
  }

  /** Sends the next question, and waits for the beginning of a long reply. */
  async function beginStream(chat: ChatPage): Promise<string> {
    server.answer({ text: STREAMED, pieceSize: 8, dripMs: 40 });
    await chat.submit(question(asked++));
    const reply = chat.messages().last().locator('.message-body');
    await reply.getByText(/w0 w1 w2 .*w40/).waitFor();
    return reply.innerText();
  }

  it('the second window shows the first one’s turns, and offers to take over', async () => {
    await takeOverButton(second).waitFor();
    await second.message(answer(question(0))).waitFor();
    await turn(first);
    await second.message(answer(question(1))).waitFor();
  });

  it(`both windows show all turns while they take over from each other (${TURNS} turns)`, async () => {
    let [writer, reader] = [first, second];
    for (let change = 0; asked < TURNS; change++) {
      for (let more = TURNS_PER_WINDOW[change % TURNS_PER_WINDOW.length]!; more > 0 && asked < TURNS; more--) {
        await turn(writer);
        await reader.message(answer(question(asked - 1))).waitFor();
      }
      await takeOver(reader, writer);
      [writer, reader] = [reader, writer];
    }
    if (writer === second) await takeOver(first, second);
  });

  it('taking over while a reply streams keeps the partial reply', async () => {
    const seen = await beginStream(first);
    stopped.set(asked - 1, 'take-over');
    await takeOver(second, first);
    await eventually(async () => {
      const kept = await second.messages().last().locator('.message-body').innerText();
      assert.equal(STREAMED.slice(0, kept.trim().length), kept.trim());
      assert.ok(kept.trim().length >= seen.trim().length, `${kept.length} of ${seen.length} characters`);
    });
    server.answerWith(answer);
    await turn(second);
    await first.message(answer(question(asked - 1))).waitFor();
  });

  it('a reload while a reply streams blocks neither window', async () => {
    await beginStream(second);
    stopped.set(asked - 1, 'reload');
    await second.workbench.reload();
    server.answerWith(answer);
    await second.show();
    // The remaining window may have become the writer, because there was nobody to ask.
    await turn(await theWriter());
    for (const chat of [first, second]) await chat.message(answer(question(asked - 1))).waitFor();
  });

  it('a window that crashes does not block the other one', async () => {
    const [left, died] = [first, second];
    if ((await theWriter()) === left) await takeOver(died, left);
    await turn(died);
    await died.workbench.crash();
    // Without a click, because the remaining window may become the writer automatically.
    await takeOverButton(left).waitFor({ state: 'detached' });
    await turn(left);
  });

  it('the stored transcript is complete and contains each turn once', async () => {
    await second.workbench.close();
    await first.workbench.close();
    const folder = path.join(await globalStorageFolder(), 'sessions');
    const journals = (await readdir(folder)).filter((name) => name.endsWith('.jsonl'));
    const complete = [];
    for (const name of journals) {
      const state = (await readStoredSession(folder, sessionId(name.replace('.jsonl', '')), alwaysDue()))?.state;
      const messages = state?.path.map((id) => state.messages.get(id)!) ?? [];
      if (messages.length === 0 || messageText(messages[0]!) !== question(0)) continue;
      assert.equal((await verifyJournal(path.join(folder, name))).ok, true);
      complete.push({ state: state!, messages });
    }
    assert.equal(complete.length, 1, 'one session');
    const { state, messages } = complete[0]!;
    const texts = messages.map((one) => messageText(one));
    const expected = Array.from({ length: asked }, (_, index) => question(index));
    assert.deepEqual(
      texts.filter((_, index) => messages[index]!.role === 'user'),
      expected,
    );
    assert.equal(messages.length, asked * 2);
    for (const [index, text] of expected.entries()) {
      const reply = texts[index * 2 + 1]!;
      if (stopped.has(index)) assert.equal(STREAMED.slice(0, reply.length), reply);
      else assert.equal(reply, answer(text));
    }
    assert.equal(state.counters.messagesEver, asked * 2, 'nothing stands there twice');
    console.log(`      turns ${asked}, messages ${messages.length}, lost 0, doubled 0`);
  });
});
