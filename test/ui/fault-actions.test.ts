import assert from 'node:assert/strict';
import type { WireServer } from '../support/wire-server.ts';
import { chatServerSettings, ChatPage, startModelServer, writeSettings } from './chat-page.ts';

const ANSWER = 'The exporter writes one file for each day.';

describe('actions offered after a fault', () => {
  let server: WireServer;
  let chat: ChatPage;

  before(async () => {
    server = (await startModelServer()).answer(ANSWER);
    chat = await ChatPage.open('fault-actions', {
      ...chatServerSettings(server),
      'threadkeeper.summarizer.provider': 'local',
    });
  });

  it('setting the API key resumes the question, and a message confirms that the key was saved', async () => {
    const { workbench } = chat;
    await chat.send('How does the exporter name its files?', ANSWER);
    server.refuseNext(401, { type: 'authentication_error' });
    await chat.submit('And the folder?');
    const asked = chat.message('And the folder?').last();
    await asked.getByRole('button', { name: 'Retry' }).waitFor();
    await chat.button('Set API Key…').click();
    await workbench.quickInput().fill('sk-of-a-test');
    await workbench.page.keyboard.press('Enter');
    await workbench.waitForNotice('The API key was saved in VS Code’s secret storage.');
    await asked.getByRole('button', { name: 'Retry' }).waitFor({ state: 'detached' });
    await chat.message(ANSWER).nth(1).waitFor();
    assert.equal(await chat.message(ANSWER).count(), 2);
  });

  it('if a server has no model list, the user can change the base URL or type a model name', async () => {
    const { workbench } = chat;
    // Removes the workspace's address, whatever address other tests have stored in the user's settings.
    await writeSettings(chat.folder, { 'threadkeeper.summarizer.provider': 'local', 'threadkeeper.chat.baseUrl': '' });
    // Until VS Code has read the settings, the models would be requested from the previous server.
    await chat.button(/^No model$/).waitFor();
    const last = await chat.messages().last().innerText();
    const asked = server.requests.length;
    await workbench.ask('Threadkeeper: Select Model…', () =>
      workbench.chooseListed(/^Select Model for This Session$/, 'OpenAI-compatible server'),
    );
    // A common mistake: no scheme, and no server.
    await workbench.answerInputBox('localhost:1');
    const warning = workbench.toast(/Couldn’t get a model list from http:\/\/localhost:1/);
    await warning.waitFor();
    assert.equal(await chat.messages().last().innerText(), last, 'no question is asked again');
    assert.equal(server.requests.length, asked, 'nothing is sent to the model before');
    await warning.getByRole('button', { name: 'Change Base URL…' }).click();
    await warning.waitFor({ state: 'detached' });
    // The path /v1 was omitted.
    await workbench.answerInputBox(server.url.replace('http://', ''));
    await workbench.paletteRow('Change Base URL…').waitFor();
    await workbench.paletteRow('Other…').click();
    await workbench.answerInputBox('a-model-of-my-own');
    await workbench.waitForNotice(/Connected to .*a-model-of-my-own\./);
    server.answer('A model of your own.');
    await chat.send('Who are you?', 'A model of your own.');
    assert.equal(server.lastRequest?.body['model'], 'a-model-of-my-own');
  });

  it('“Try Again” repeats the failed compression and nothing else', async () => {
    const { workbench } = chat;
    await chat.changeSettings({
      'threadkeeper.compression.fallbackToExtractive': false,
      'threadkeeper.summarizer.provider': 'chat',
    });
    await workbench.openSampleSession();
    server.disturbBy(() => ({ kind: 'reset' }));
    const last = await chat.messages().last().innerText();
    await workbench.previewCompression(/(?:Estimated|Unknown) cost/);
    await workbench.confirmCompression();
    const again = chat.button('Try Again');
    await again.waitFor();
    server.disturbBy(() => undefined);
    await again.click();
    await workbench.waitForNotice(/Compressed [\d,]+ messages/);
    assert.equal(await chat.messages().last().innerText(), last, 'no reply was asked for');
  });
});
