import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import type { Threadkeeper } from '../../src/host/threadkeeper.ts';
import type { SessionId } from '../../src/core/model/ids.ts';
import { folderForAllTests } from '../support/per-test.ts';
import { sessionMessage } from '../support/session-messages.ts';
import { answering, collectIn, product, run, transcript, withSettings } from './product.ts';

type Item = vscode.QuickPickItem;

describe('sessions in the editor', () => {
  let app: Threadkeeper;
  before(async () => (app = await product()));
  let folder: string;
  const file = (name: string): vscode.Uri => vscode.Uri.file(path.join(folder, name));
  folderForAllTests((made) => (folder = made));

  it('are exported with their secrets masked, and the user is told how many', async () => {
    const conversation = await app.sessions.create('Secrets');
    const secret = `ghp_${'a1B2c3D4'.repeat(5)}`;
    await conversation.journal.append({ type: 'message_added', message: sessionMessage('a', `It is ${secret}.`) });
    const said: string[] = [];
    await answering({ showInformationMessage: collectIn(said) }, async () => {
      for (const name of ['s.jsonl', 's.md', 's.decisions.md']) await run('exportSession', file(name));
    });
    assert.match(said[0] ?? '', /Masked secrets: 1\./);
    for (const name of ['s.jsonl', 's.md']) {
      const text = await readFile(file(name).fsPath, 'utf8');
      assert.ok(text.includes('It is [redacted: github-token].'), name);
    }
    assert.match(await readFile(file('s.decisions.md').fsPath, 'utf8'), /^# Decisions: Secrets\n/);
  });

  it('are exported unmasked when the user has turned off secret masking', async () => {
    const conversation = await app.sessions.create('Plain');
    const secret = `ghp_${'aB3dE5fG7h'.repeat(4).slice(0, 36)}`;
    await conversation.journal.append({ type: 'message_added', message: sessionMessage('a', `It is ${secret}.`) });
    await withSettings({ 'export.maskSecrets': false }, () => run('exportSession', file('plain.jsonl')));
    assert.ok((await readFile(file('plain.jsonl').fsPath, 'utf8')).includes(secret));
  });

  it('are searched together, and a result opens its session at the matching message', async () => {
    const target = await app.sessions.create('Birds');
    await target.journal.append({
      type: 'message_added',
      message: sessionMessage('a', 'The kestrelhawk nests in May.'),
    });
    await app.sessions.create('Something else');
    let shown: readonly Item[] = [];
    const showQuickPick = (items: readonly Item[]): Promise<Item | undefined> => {
      shown = items;
      return Promise.resolve(items[0]);
    };
    await answering({ showQuickPick }, () => run('searchSessions', 'kestrelhawk nests'));
    const shownFirst = shown.slice(0, 1).map(({ description, detail }) => [description, detail]);
    assert.deepEqual(shownFirst, [['not summarized', 'Birds · 1 · You']]);
    assert.equal(app.sessions.current?.state.title, 'Birds');
    const editor = vscode.window.activeTextEditor;
    assert.equal(editor?.document.getText(editor.selection), 'The kestrelhawk nests in May.');
  });

  it('start with the previous session’s model, even when an empty session is reused', async () => {
    const select = (model: string) =>
      app.sessions.current!.journal.append({ type: 'model_selected', provider: 'openai', model });
    const working = await app.sessions.create('At work');
    await select('model-one');
    await run('newSession');
    assert.equal(app.sessions.current?.state.model, 'model-one');
    const { id } = app.sessions.current.journal;
    await app.sessions.open(working.journal.id);
    await select('model-two');
    await run('newSession');
    assert.equal(app.sessions.current?.journal.id, id);
    assert.equal(app.sessions.current.state.model, 'model-two');
  });

  it('are listed with the workspace name if from another workspace, and are writable once opened here', async () => {
    const journal = await app.store.create('Far away', 'folder:file:///elsewhere/orchard');
    await journal.append({ type: 'message_added', message: sessionMessage('a', 'from afar') });
    await journal.close();
    assert.ok((await app.sessions.list()).every((one) => one.title !== 'Far away'));
    const showQuickPick = (items: readonly Item[]): Promise<Item | undefined> =>
      Promise.resolve(items.find(({ label, description }) => label === 'Far away' && description === 'orchard'));
    await answering({ showQuickPick }, () => run('openOtherSession'));
    const opened = app.sessions.current;
    assert.equal(opened?.state.title, 'Far away');
    await opened.journal.append({
      type: 'message_added',
      message: sessionMessage('b', 'and from here', { parent: 'a' }),
    });
    assert.deepEqual(transcript(opened), ['user: from afar', 'user: and from here']);
    assert.equal(opened.state.workspace, 'folder:file:///elsewhere/orchard');
  });

  it('can be restored long after they were deleted', async () => {
    const journal = await app.store.create('Deleted by mistake', app.workspace);
    await journal.append({ type: 'message_added', message: sessionMessage('a', 'still here') });
    await journal.append({ type: 'session_deleted', deleted: true });
    await journal.close();
    const showQuickPick = (items: readonly Item[]): Promise<Item | undefined> =>
      Promise.resolve(items.find(({ label }) => label === 'Deleted by mistake'));
    await answering({ showQuickPick }, () => run('restoreSession'));
    assert.deepEqual(transcript(app.sessions.current!), ['user: still here']);
    assert.ok((await app.sessions.list()).some((one) => one.title === 'Deleted by mistake'));
  });

  it('are permanently deleted after confirmation if selected, while open and unselected ones stay', async () => {
    const open = await app.sessions.create('Open');
    const ids: SessionId[] = [];
    for (const title of ['Old', 'Dear']) {
      const journal = await app.store.create(title, app.workspace);
      if (title === 'Old') await journal.append({ type: 'session_deleted', deleted: true });
      ids.push(journal.id);
      await journal.close();
    }
    const stored = (id: string | undefined): boolean => existsSync(path.join(app.folder, `${id ?? ''}.jsonl`));
    await writeFile(path.join(app.folder, `${ids[0] ?? ''}.jsonl.damaged`), 'lines');
    const choose = (items: readonly Item[]): Promise<Item[]> =>
      Promise.resolve(items.filter(({ label }) => label === 'Old' || label === 'Open'));
    let question = '';
    const answer = (reply: string | undefined) => (text: string, options: unknown) => {
      if (typeof options === 'object') question = text;
      return Promise.resolve(typeof options === 'object' ? reply : undefined);
    };
    await answering({ showQuickPick: choose, showWarningMessage: answer(undefined) }, () => run('cleanUp'));
    assert.match(question, /^Permanently delete 2 sessions \(.+\)\?$/);
    assert.ok(stored(ids[0]) && stored(ids[1]));
    for (const id of ids) app.drafts.set(id, 'Not sent yet');
    await answering({ showQuickPick: choose, showWarningMessage: answer('Delete Permanently') }, () => run('cleanUp'));
    const texts = ids.map((id) => app.drafts.get(id));
    assert.deepEqual(texts, ['', 'Not sent yet']);
    assert.ok(!stored(ids[0]) && !existsSync(path.join(app.folder, `${ids[0] ?? ''}.jsonl.damaged`)));
    assert.ok(stored(ids[1]) && stored(open.journal.id));
    assert.ok((await app.store.list()).every((one) => one.id !== ids[0]));
  });
});
