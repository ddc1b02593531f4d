import assert from 'node:assert/strict';
import { WireServer } from '../support/wire-server.ts';
import { chatServerSettings, startModelServer, writeSettings } from './chat-page.ts';
import { freshWorkspace, localPorts } from './editor.ts';
import { Workbench } from './workbench.ts';

const SMALL = 'gpt-4o';
const REPLY = 'The exporter writes one file for each day, named by its date.';

describe('chat with a model on a server', () => {
  let server: WireServer;
  let workbench: Workbench;

  before(async () => {
    server = await startModelServer();
    const folder = await freshWorkspace();
    await writeSettings(folder, {
      'threadkeeper.chat.baseUrl': `${server.url}/v1`,
      'threadkeeper.models.overrides': { [SMALL]: { contextWindow: 8000, maxOutput: 1000 } },
      // Tests faults and context windows in the page. Compression has its own tests.
      'threadkeeper.summarizer.provider': 'local',
    });
    workbench = await Workbench.open({ folder, profile: 'models' });
  });

  const composer = () => workbench.webview().getByRole('textbox', { name: 'Message' });
  const articles = () => workbench.webview().getByRole('article');
  const send = async (text: string): Promise<void> => {
    await composer().fill(text);
    await composer().press('Enter');
  };

  it('selects a model from the server’s list, and offers to compress if the session does not fit', async () => {
    server.answer(REPLY);
    await workbench.openSampleSession();
    await articles().getByText('fair winds to Rita').waitFor();
    // A self-hosted server needs no key: its models are in the same list.
    await workbench.ask('Threadkeeper: Select Model…', () =>
      workbench.chooseListed(/^Select Model for This Session$/, SMALL),
    );
    const warning = workbench.toast(/The session doesn’t fit in the context window of/);
    await warning.waitFor();
    await warning.getByRole('button', { name: 'Compress History' }).click();
    await workbench.confirmCompression();
    await workbench.waitForNotice(/Compressed [\d,]+ messages/);
    await workbench.clearToasts();
  });

  it('lists a running Ollama server, and marks the selected model', async () => {
    const [port] = await localPorts();
    const ollama = await WireServer.start(port);
    try {
      const rows = workbench.page.locator('.quick-input-list');
      await workbench.ask('Threadkeeper: Select Model…', async () => {
        // A row without a heading keeps the text of an earlier one, but hidden.
        await rows.getByText(`Ollama (127.0.0.1:${port})`).filter({ visible: true }).waitFor();
        assert.equal(await rows.getByText('LM Studio').count(), 0);
        await rows.locator('.monaco-list-row', { hasText: SMALL }).locator('.codicon-check').first().waitFor();
        await workbench.screenshot('model-list');
      });
      await workbench.page.keyboard.press('Escape');
      await workbench.quickInput().waitFor({ state: 'hidden' });
    } finally {
      await ollama.stop();
    }
  });

  it('shows a countdown while waiting to retry, and lets the user end the wait', async () => {
    server.answer(REPLY).refuseNext(500, { retryAfter: '40' });
    await send('And the folder?');
    const timer = workbench.webview().getByRole('timer');
    await timer.getByText(/The provider reported an error or is overloaded\. Retrying in \d+ s/).waitFor();
    await workbench.webview().getByRole('button', { name: /^Stop/ }).click();
    await timer.waitFor({ state: 'hidden' });
    await articles().getByText('And the folder?').waitFor();
  });

  it('keeps the partial reply when the connection breaks, and continues it with a button', async () => {
    server.answer({ text: REPLY, pieceSize: 4 }).disturbNext({ kind: 'cut', afterText: 5 });
    await send('Tell me again about the exporter.');
    const more = workbench.webview().getByRole('button', { name: 'Continue' });
    await more.last().waitFor();
    await articles().getByText(REPLY.slice(0, 18)).last().waitFor();
    server.answer('and that is all of it.');
    await more.last().click();
    await articles().getByText('and that is all of it.').waitFor();
  });

  it('reports a message that does not fit, and offers each solution as a button', async () => {
    server.answer(REPLY);
    await send('This log is far too long. '.repeat(4000));
    const alert = workbench.webview().getByRole('alert').filter({ hasText: 'doesn’t fit in the context budget' });
    await alert.waitFor();
    for (const way of ['Compress History', 'Select Model…', 'New Session'])
      await alert.getByRole('button', { name: way }).waitFor();
    await workbench.screenshot('does-not-fit');
    await alert.getByRole('button', { name: 'Select Model…' }).click();
    await workbench.paletteRow('OpenAI-compatible server').waitFor();
    await workbench.page.keyboard.press('Escape');
    await alert.getByRole('button', { name: 'New Session' }).click();
    await alert.waitFor({ state: 'hidden' });
    await workbench.clearToasts();
  });

  it('shows slow summarizing in the chat and on the gauge, and lets the user cancel it', async () => {
    // Summarize with the chat's model, because a compression without a model would end at once.
    await writeSettings(workbench.folder ?? '', {
      ...chatServerSettings(server),
      'threadkeeper.summarizer.provider': 'chat',
    });
    server.answer(REPLY).disturbBy(() => ({ kind: 'silence', afterText: 0 }));
    await workbench.openSampleSession();
    await workbench.previewCompression(/(?:Estimated|Unknown) cost/);
    await workbench.confirmCompression();
    const progress = workbench.webview().locator('.notice-progress', { hasText: /Compressing: summarizing/ });
    await progress.waitFor();
    const spinner = workbench.statusBarItem('threadkeeper.gauge').locator('.codicon-modifier-spin');
    await spinner.waitFor();
    await workbench.screenshot('compressing');
    await progress.getByRole('button', { name: 'Cancel' }).click();
    await workbench.waitForNotice(/Compression was canceled. The session wasn’t changed\./);
    await spinner.waitFor({ state: 'detached' });
  });
});
