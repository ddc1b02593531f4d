import assert from 'node:assert/strict';
import type { WireServer } from '../support/wire-server.ts';
import { chatServerSettings, ChatPage, startModelServer } from './chat-page.ts';
import { ContextView } from './context-view.ts';
import type { Workbench } from './workbench.ts';

/** The statement of the sample session's first summary that the model finds unsupported. A long summary is checked in parts. */
const WRONG = 'New project';

function verdictsOn(prompt: string): string {
  const list = prompt.split(/^=====\w+=====$/m)[3] ?? '';
  const statements = Array.from(list.matchAll(/^(\d+)\. (.*)/gm), ([, number, text = '']) => ({
    n: Number(number),
    quote: '',
    verdict: text.includes(WRONG) ? 'otherwise' : 'told',
    instead: text.includes(WRONG) ? '<b>half past four</b>' : '',
  }));
  return JSON.stringify({ statements });
}

describe('summary verified by a model', () => {
  let server: WireServer;
  let workbench: Workbench;
  let view: ContextView;

  before(async () => {
    server = await startModelServer();
    // Summaries are extractive, so that only the check asks the model.
    const settings = { ...chatServerSettings(server), 'threadkeeper.summarizer.provider': 'local' };
    ({ workbench } = await ChatPage.open('checked-summary', settings));
    view = new ContextView(workbench);
    await workbench.openSampleSession();
    await view.compress();
    server.answerWith(verdictsOn);
  });

  it('is first compared without a model, which offers verification', async () => {
    await view.onFirst('Threadkeeper: Compare Summary with Source');
    const toast = workbench.toast(/Statements with terms that don’t appear in the source: \d+ of [\d,]+\./);
    await toast.waitFor();
    await toast.getByRole('button', { name: 'Verify with a Model…' }).click();
    await view.pick('OpenAI-compatible server');
    await view.pick('gpt-4o');
  });

  it('shows how many statements are unsupported, and what the source says instead', async () => {
    await workbench.waitForNotice(/Statements not supported by the source: 1 of [\d,]+ \(checked by compatible\/.+\)/);
    await workbench.clearToasts();
    await workbench.page.locator('.monaco-editor .view-lines').first().waitFor();
    await workbench.screenshot('summary-checked');
    // Markup in a model's answer is shown as text.
    const told = workbench.page.locator('.monaco-hover');
    await workbench.hoverUntil(
      workbench.editorText().getByText(WRONG).first(),
      told.getByText('According to the model, the source says: <b>half past four</b>'),
    );
    await workbench.runCommand('View: Close All Editors');
  });

  it('has a warning and the number of supported statements in the tree, also after a reload', async () => {
    await workbench.openSidebar('Threadkeeper');
    await workbench.treeRow(/^Summaries/).waitFor();
    await workbench.reload();
    await workbench.openSidebar('Threadkeeper');
    const checked = workbench.treeRow(/\d+\/\d+ statements/).first();
    await view.openDownTo(checked, /^Summaries/);
    const [, supported, all] = /(\d+)\/(\d+) statements/.exec((await checked.getAttribute('aria-label')) ?? '') ?? [];
    assert.equal(Number(all) - Number(supported), 1);
    await checked.locator('.codicon-warning').waitFor();
    await workbench.screenshot('summary-checked-tree');
  });

  it('shows neither a result nor an error when verification is canceled', async () => {
    server.disturbBy(() => ({ kind: 'silence', afterText: 0 }));
    await view.onFirst('Threadkeeper: Verify Summary with a Model…');
    await view.pick('OpenAI-compatible server');
    await view.pick('gpt-4o');
    const progress = workbench.toast(/Verifying summary/);
    await progress.waitFor();
    await progress.hover();
    await progress.getByRole('button', { name: 'Cancel' }).click();
    await progress.waitFor({ state: 'detached' });
    assert.equal(await workbench.toast(/went wrong|Statements/).count(), 0);
  });
});
