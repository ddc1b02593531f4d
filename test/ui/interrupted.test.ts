import assert from 'node:assert/strict';
import type { WireServer } from '../support/wire-server.ts';
import { chatServerSettings, ChatPage, startModelServer } from './chat-page.ts';

/** Numbered, so that gaps and repetitions are visible. */
const WORDS = Array.from({ length: 400 }, (_, index) => `w${index}`).join(' ');

describe('streaming reply', () => {
  let server: WireServer;
  let chat: ChatPage;

  before(async () => {
    server = await startModelServer();
    chat = await ChatPage.open('interrupted', chatServerSettings(server));
  });

  const reply = () => chat.messages().last().locator('.message-body');

  /** Requests a reply whose rest only comes when the test allows it. */
  async function begin(question: string): Promise<() => void> {
    const { promise: until, resolve } = Promise.withResolvers<undefined>();
    server.answer({ text: WORDS, pieceSize: 8 }).disturbNext({ kind: 'hold', afterText: 30, until });
    await chat.submit(question);
    // Until then, the last message is the previous reply, which has the same text.
    await chat.message(question).waitFor();
    await chat
      .messages()
      .last()
      .getByText(/w0 w1 w2 .*w20/)
      .waitFor();
    return () => resolve(undefined);
  }

  /** The stored text is the reply's beginning without gaps, and at least as long as what was visible before. */
  function keeps(kept: string, seen: string): void {
    assert.equal(WORDS.slice(0, kept.trim().length), kept.trim());
    assert.ok(kept.trim().length >= seen.trim().length - 200, `${kept.length} of ${seen.length} characters`);
  }

  it('continues while the panel is closed, and is complete when the panel is reopened', async () => {
    const finishReply = await begin('One.');
    await chat.workbench.runCommand('View: Close Editor');
    await chat.composer().waitFor({ state: 'detached' });
    await chat.show();
    await reply().getByText('w0 w1').waitFor();
    await chat.button('Stop Response').waitFor();
    finishReply();
    await reply().getByText('w399').waitFor();
    await chat.button('Stop Response').waitFor({ state: 'detached' });
    assert.equal((await reply().innerText()).trim(), WORDS);
  });

  it('keeps its partial text when the window is reloaded, and says that it was interrupted', async () => {
    await begin('Two.');
    const seen = await reply().innerText();
    await chat.workbench.reload();
    await chat.show();
    await reply().getByText('w20').waitFor();
    keeps(await reply().innerText(), seen);
    await chat.messages().last().getByText('Interrupted (partial response)').waitFor();
    await chat.messages().last().getByRole('button', { name: 'Continue' }).waitFor();
  });

  it('keeps its partial text when the editor is restarted', async () => {
    const seen = await reply().innerText();
    chat = new ChatPage(await chat.workbench.restart());
    await chat.show();
    await reply().getByText('w20').waitFor();
    keeps(await reply().innerText(), seen);
  });
});
