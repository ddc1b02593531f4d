import type { WireServer } from '../support/wire-server.ts';
import { chatServerSettings, ChatPage, startModelServer, writeSettings } from './chat-page.ts';
import type { Workbench } from './workbench.ts';

const SMALL = 'gpt-4o';
const REPLY = 'The exporter writes one file for each day, named by its date.';

describe('chat with a model on a server', () => {
  let server: WireServer;
  let chat: ChatPage;
  let workbench: Workbench;

  before(async () => {
    server = await startModelServer();
    chat = await ChatPage.open('models', {
      'threadkeeper.chat.baseUrl': `${server.url}/v1`,
      'threadkeeper.models.overrides': { [SMALL]: { contextWindow: 8000, maxOutput: 1000 } },
      // Tests faults and context windows in the page. Compression has its own tests.
      'threadkeeper.summarizer.provider': 'local',
    });
    ({ workbench } = chat);
  });

  afterEach(() => void server.reset());

  it('selects a model from the server’s list, and offers to compress if the session does not fit', async () => {
    server.answer(REPLY);
    await workbench.openSampleSession();
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

  it('shows a countdown while waiting to retry, and lets the user end the wait', async () => {
    server.answer(REPLY).refuseNext(500, { retryAfter: '40' });
    await chat.submit('And the folder?');
    const timer = chat.page.getByRole('timer');
    await timer.getByText(/The provider reported an error or is overloaded\. Retrying in \d+ s/).waitFor();
    await chat.button('Stop Response').click();
    await timer.waitFor({ state: 'hidden' });
    await chat.message('And the folder?').waitFor();
  });

  it('shows slow summarizing in the chat and on the gauge, and lets the user cancel it', async () => {
    // Summarize with the chat's model, because a compression without a model would end at once.
    await writeSettings(chat.folder, {
      ...chatServerSettings(server),
      'threadkeeper.summarizer.provider': 'chat',
    });
    server.answer(REPLY).disturbBy(() => ({ kind: 'silence', afterText: 0 }));
    await workbench.openSampleSession();
    await workbench.previewCompression(/(?:Estimated|Unknown) cost/);
    await workbench.confirmCompression();
    const progress = chat.page.locator('.notice-progress', { hasText: /Compressing: summarizing/ });
    await progress.waitFor();
    const spinner = workbench.statusBarItem('threadkeeper.gauge').locator('.codicon-modifier-spin');
    await spinner.waitFor();
    await workbench.screenshot('compressing');
    await progress.getByRole('button', { name: 'Cancel' }).click();
    await workbench.waitForNotice(/Compression was canceled. The session wasn’t changed\./);
    await spinner.waitFor({ state: 'detached' });
  });
});
