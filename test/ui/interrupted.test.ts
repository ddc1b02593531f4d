import assert from 'node:assert/strict';
import type { WireServer } from '../support/wire-server.ts';
import { chatServerSettings, ChatPage, startModelServer } from './chat-page.ts';
import { eventually } from './eventually.ts';

/** A reply of numbered words, so that gaps and repetitions are visible. */
const wordsOf = (prefix: string): string => Array.from({ length: 400 }, (_, index) => `${prefix}${index}`).join(' ');
const FIRST = wordsOf('a');
const SECOND = wordsOf('b');

describe('streaming reply', () => {
  let server: WireServer;
  let chat: ChatPage;

  before(async () => {
    server = await startModelServer();
    chat = await ChatPage.open('interrupted', chatServerSettings(server));
  });

  const reply = () => chat.messages().last().locator('.message-body');

  /** Requests a reply whose rest only comes when the test allows it. */
  async function begin(question: string, words: string): Promise<() => void> {
    const { promise: until, resolve } = Promise.withResolvers<undefined>();
    server.answer({ text: words, pieceSize: 8 }).disturbNext({ kind: 'hold', afterText: 30, until });
    await chat.submit(question);
    await chat
      .messages()
      .last()
      .getByText(words.slice(0, words.indexOf('21')))
      .waitFor();
    await chat.button('Stop Response').waitFor();
    return () => resolve(undefined);
  }

  /** The stored text is the reply's beginning without gaps, and at least as long as what was visible before. */
  function keeps(kept: string, seen: string): void {
    assert.equal(SECOND.slice(0, kept.trim().length), kept.trim());
    assert.ok(kept.trim().length >= seen.trim().length - 200, `${kept.length} of ${seen.length} characters`);
  }

  it('continues while the panel is closed, and is complete when the panel is reopened', async () => {
    const finishReply = await begin('One.', FIRST);
    await chat.workbench.runCommand('View: Close Editor');
    await chat.composer().waitFor({ state: 'detached' });
    await chat.show();
    await reply().getByText('a0 a1').waitFor();
    await chat.button('Stop Response').waitFor();
    finishReply();
    await reply().getByText('a399').waitFor();
    await chat.button('Stop Response').waitFor({ state: 'detached' });
    assert.equal((await reply().innerText()).trim(), FIRST);
  });

  it('keeps its partial text when the window is reloaded, and says that it was interrupted', async () => {
    await begin('Two.', SECOND);
    const seen = await reply().innerText();
    await chat.workbench.reload();
    await chat.show();
    await reply().getByText('b20').waitFor();
    keeps(await reply().innerText(), seen);
    await eventually(async () => assert.match(await chat.messages().last().innerText(), /Interrupted \(partial/));
    await chat.messages().last().getByRole('button', { name: 'Continue' }).waitFor();
  });

  it('keeps its partial text when the editor is restarted', async () => {
    const seen = await reply().innerText();
    chat = new ChatPage(await chat.workbench.restart());
    await chat.show();
    await reply().getByText('b20').waitFor();
    keeps(await reply().innerText(), seen);
  });
});
