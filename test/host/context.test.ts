import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import * as vscode from 'vscode';
import type { Threadkeeper } from '../../src/host/threadkeeper.ts';
import type { ContextItem } from '../../src/protocol/views.ts';
import { pageRequests } from '../../src/host/chat/page-requests.ts';
import { gaugeView } from '../../src/host/gauge/gauge-view.ts';
import { folderForAllTests } from '../support/per-test.ts';
import { WireServer } from '../support/wire-server.ts';
import { answeredBy, answering, product, rejection, replacing, restricted, run, withSettings } from './product.ts';

const execute = promisify(execFile);

describe('message context', () => {
  let app: Threadkeeper;
  before(async () => (app = await product()));
  const folder = vscode.workspace.workspaceFolders![0]!.uri.fsPath;
  const inside = (name: string): string => path.join(folder, 'context', name);
  let outside: string;
  folderForAllTests((made) => (outside = made));

  before(async () => {
    await mkdir(inside('parts'), { recursive: true });
    await writeFile(path.join(outside, 'secret.txt'), 'the key is outside');
    await writeFile(inside('alpha.ts'), 'export class AlphaThing {\n  size = 1;\n}\n');
    await writeFile(inside('parts/beta.ts'), 'export const beta = 2;\n');
    await writeFile(inside('parts/picture.bin'), Buffer.from([0, 1, 2]));
    await symlink(path.join(outside, 'secret.txt'), inside('leak.txt'));
    await symlink(outside, inside('parts/linked'));
  });

  after(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await rm(inside('.'), { recursive: true, force: true });
  });

  /** The page's requests in a new session. */
  async function page() {
    const conversation = await app.sessions.create();
    const handlers = pageRequests(app);
    const held = () => app.attachments.contents(conversation.journal.id).attachments;
    return {
      conversation,
      offered: async (query: string): Promise<readonly ContextItem[]> =>
        handlers.completeContext({ type: 'completeContext', query }),
      attach: (what: Parameters<typeof handlers.attach>[0]['what']) =>
        handlers.attach({ type: 'attach', session: conversation.journal.id, what }),
      send: (text: string, session = conversation.journal.id) => {
        const views = app.attachments.views(conversation.journal.id).filter(({ implicit }) => !implicit);
        const attachments = views.map(({ id }) => id);
        return handlers.send({ type: 'send', session, text, attachments, pasted: [] });
      },
      held,
      heldNames: () => held().map(({ name }) => name),
    };
  }

  const kinds = (items: readonly ContextItem[]): string[] => items.map(({ what }) => what.kind);

  it('suggests files, folders and sessions by name, regardless of case', async () => {
    await (await app.sessions.create()).journal.append({ type: 'session_renamed', title: 'The alpha release' });
    const { offered } = await page();
    assert.deepEqual(
      (await offered('ALPHA'))
        .filter(({ what }) => what.kind !== 'symbol')
        .map(({ label, what }) => [label, what.kind]),
      [
        ['alpha.ts', 'file'],
        ['The alpha release', 'session'],
      ],
    );
    const folders = (await offered('parts')).map(({ label, detail, what }) => [label, detail, what.kind]);
    assert.deepEqual(folders, [['parts', 'context/parts', 'folder']]);
  });

  it('suggests file names in any language, regardless of case', async () => {
    const { offered } = await page();
    for (const [name, query] of [
      ['Übersicht-Neu.md', 'übersicht-n'],
      ['Отчёт за год.md', 'отчёт'],
      ['größe.ts', 'GRÖßE'],
    ] as const) {
      await writeFile(inside(name), 'Text\n');
      const labels = (await offered(query)).map(({ label }) => label);
      assert.ok(labels.includes(name), `${query}: ${labels.join()}`);
    }
  });

  it('ranks suggestions by relevance: open files, names with the typed prefix, short paths', async () => {
    const names = ['deep/gamma-deep.ts', 'gammas/x-gamma.ts', 'gamma.ts', 'deep/an-open-gamma.ts'];
    for (const folder of ['deep', 'gammas']) await mkdir(inside(folder));
    for (const name of names) await writeFile(inside(name), 'export {};\n');
    await vscode.window.showTextDocument(vscode.Uri.file(inside('deep/an-open-gamma.ts')));
    const { offered } = await page();
    const labels = (await offered('gamma')).map(({ label }) => label);
    assert.deepEqual(labels, ['an-open-gamma.ts', 'gamma.ts', 'gamma-deep.ts', 'x-gamma.ts', 'gammas']);
  });

  it('suggests the selection, current file and open editors only when they have something to add', async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    const { offered } = await page();
    assert.ok(!kinds(await offered('')).includes('selection'));
    const shown = await vscode.window.showTextDocument(vscode.Uri.file(inside('alpha.ts')));
    shown.selection = new vscode.Selection(1, 0, 1, 11);
    const found = kinds(await offered(''));
    assert.ok(found.includes('selection') && found.includes('currentFile'), found.join());
    assert.ok(!found.includes('openEditors'), 'one file is no choice of open editors');
  });

  it('suggests an unnamed terminal', async () => {
    const { offered } = await page();
    await replacing(vscode.window, 'activeTerminal', { name: '' }, async () => {
      const found = kinds(await offered(''));
      assert.ok(found.includes('terminal') && found.includes('terminalCommand'), found.join());
    });
  });

  it('restores attachments to the composer when the message cannot be stored', async () => {
    const { attach, conversation, heldNames, send } = await page();
    await attach({ kind: 'file', path: 'context/alpha.ts' });
    await conversation.journal.close();
    await assert.rejects(send('What is in it?'), { name: 'StoreFault' });
    assert.deepEqual(heldNames(), ['context/alpha.ts']);
  });

  it('attaches all files selected in the Explorer, or none if one cannot be attached', async () => {
    const { held, heldNames } = await page();
    const chosen = ['alpha.ts', 'parts/picture.bin'].map((name) => vscode.Uri.file(inside(name)));
    await answering({ showErrorMessage: () => Promise.resolve(undefined) }, async () => {
      await run('attachFile', chosen[0], chosen);
    });
    assert.deepEqual(held(), []);
    await run('attachFile', chosen[0], chosen.slice(0, 1));
    assert.deepEqual(heldNames(), ['context/alpha.ts']);
  });

  it('skips a huge active file without counting its tokens, and does not refresh while a reply arrives', async () => {
    await using server = await WireServer.start();
    server.answer({ text: 'Drop by drop. '.repeat(12), dripMs: 200 });
    const tokens = app.attachments.tokens.bind(app.attachments);
    const refresh = app.implicit.refresh.bind(app.implicit);
    let counted = 0;
    let refreshed = 0;
    const countTokens: typeof tokens = (holder, attachment) => {
      counted = Math.max(counted, 'text' in attachment ? attachment.text.length : 0);
      return tokens(holder, attachment);
    };
    const countRefresh: typeof refresh = () => {
      if (app.sessions.current?.isReplying === true) refreshed++;
      return refresh();
    };
    const sendNextToHugeFile = async (): Promise<void> => {
      const { conversation, held } = await page();
      await writeFile(inside('package-lock.json'), '"integrity": "sha512-abc",\n'.repeat(100_000));
      await vscode.window.showTextDocument(vscode.Uri.file(inside('package-lock.json')));
      await app.implicit.refresh();
      assert.deepEqual(held(), []);
      await conversation.send('Why?');
    };
    await replacing(app.attachments, 'tokens', countTokens, () =>
      replacing(app.implicit, 'refresh', countRefresh, () => withSettings(answeredBy(server), sendNextToHugeFile)),
    );
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    assert.ok(counted < 1_000_000, `${counted} characters`);
    assert.equal(refreshed, 0);
  });

  it('is not sent to a session other than the one the message was written for', async () => {
    const left = await page();
    const opened = await page();
    await opened.attach({ kind: 'file', path: 'context/alpha.ts' });
    await assert.rejects(opened.send('Written a moment ago.', left.conversation.journal.id), { reason: 'elsewhere' });
    assert.equal(opened.conversation.state.counters.messagesEver, 0);
    assert.equal(opened.held().length, 1);
  });

  it('includes uncommitted changes, but never files that Git ignores', async function () {
    const git = (...args: string[]) => execute('git', ['-C', folder, ...args]);
    await git('init', '-q');
    await writeFile(path.join(folder, '.gitignore'), 'context/ignored*\ncontext/mixed/built-*\n');
    await writeFile(inside('ignored-notes.ts'), 'export {};\n');
    await git('add', 'context/alpha.ts', '.gitignore');
    const inSubmodule = (...args: string[]) => execute('git', ['-C', inside('vendored'), ...args]);
    await mkdir(inside('vendored'));
    await writeFile(inside('vendored/library-notes.ts'), 'export {};\n');
    await inSubmodule('init', '-q');
    await inSubmodule('add', '.');
    await inSubmodule('-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', 'commit', '-qm', 'Add the library');
    await git('add', 'context/vendored');
    const extension = vscode.extensions.getExtension('vscode.git');
    if (!extension) this.skip();
    const api = (await extension.activate()).getAPI(1);
    const repository = await api.openRepository(vscode.Uri.file(folder));
    await api.openRepository(vscode.Uri.file(inside('vendored')));
    await repository.status();
    const { attach, held, offered } = await page();
    assert.deepEqual(kinds(await offered('ignored')), []);
    assert.ok(kinds(await offered('library')).includes('file'), 'a submodule hides no files');
    await writeFile(inside('shown-notes.ts'), 'export const shown = true;\n');
    await writeFile(inside('secrets.json'), '{ "token": "of nobody" }\n');
    await writeFile(inside('gone-notes.ts'), 'export {};\n');
    assert.ok(kinds(await offered('shown')).includes('file'));
    await repository.status();
    assert.ok(kinds(await offered('changes')).includes('changes'));
    await rm(inside('gone-notes.ts'));
    await attach({ kind: 'changes' });
    const changes = held()[0]!.text;
    assert.match(changes, /\+export class AlphaThing/);
    assert.match(changes, /^New file: context\/shown-notes\.ts\nexport const shown = true;$/m);
    assert.match(changes, /^New file: context\/secrets\.json$/m);
    assert.doesNotMatch(changes, /of nobody|ignored-notes|gone-notes/);
    await mkdir(inside('mixed/node_modules'), { recursive: true });
    for (let n = 0; n < 250; n++) await writeFile(inside(`mixed/built-${n}.txt`), 'built\n');
    for (let n = 0; n < 5; n++) await writeFile(inside(`mixed/own-${n}.txt`), `own ${n}\n`);
    await writeFile(inside('mixed/node_modules/one.txt'), 'not own\n');
    await attach({ kind: 'folder', path: 'context/mixed' });
    assert.deepEqual(held()[1]!.text.match(/own \d/g), ['own 0', 'own 1', 'own 2', 'own 3', 'own 4']);
    assert.doesNotMatch(held()[1]!.text, /built|not own/);
    for (let n = 0; n < 200; n++) await writeFile(inside(`mixed/own-${n + 5}.txt`), `own ${n + 5}\n`);
    const error = await rejection(attach({ kind: 'folder', path: 'context/mixed' }));
    assert.match((error as Error).message, /contains more than 200 files\. Add a subfolder instead\./);
  });

  it('rejects binary files, files that are too large, and paths or links that leave the workspace', async () => {
    const { attach, offered, held } = await page();
    await writeFile(inside('large.txt'), 'word '.repeat(150_000));
    for (const [what, said] of [
      [{ kind: 'file', path: 'context/leak.txt' }, /isn’t in the workspace/],
      [{ kind: 'folder', path: 'context/parts/linked' }, /isn’t in the workspace/],
      [{ kind: 'file', path: '../outside.txt' }, /isn’t in the workspace/],
      [{ kind: 'file', path: 'context/parts/picture.bin' }, /isn’t a text file/],
      [
        { kind: 'file', path: 'context/large.txt' },
        /^Can’t add context\/large\.txt: [\d,]+ tokens are needed, but only [\d,]+ are available/,
      ],
    ] as const) {
      const error = await rejection(attach(what));
      assert.match((error as Error).message, said);
    }
    assert.deepEqual(held(), []);
    assert.deepEqual(kinds(await offered('leak')), []);
  });

  it('includes image files as images, if the model supports them', async () => {
    const { attach, conversation } = await page();
    // One transparent pixel.
    const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    await writeFile(inside('parts/Photo.PNG'), Buffer.from(png, 'base64'));
    const photo = { kind: 'file', path: 'context/parts/Photo.PNG' } as const;
    assert.match(((await rejection(attach(photo))) as Error).message, /model doesn’t support images/);
    await withSettings({ 'chat.provider': 'openai', 'chat.model': 'gpt-4o' }, () => attach(photo));
    const { attachments, images } = app.attachments.contents(conversation.journal.id);
    assert.deepEqual([attachments, images], [[], [{ type: 'image', mediaType: 'image/png', base64: png }]]);
  });

  it('shows its size in provider tokens, like the gauge', async () => {
    const { attach, conversation } = await page();
    await writeFile(inside('large.txt'), 'word '.repeat(150_000));
    const figures = async (): Promise<{ chip: number; has: number; room: number }> => {
      await attach({ kind: 'file', path: 'context/alpha.ts' });
      const { id, tokens: chip } = app.attachments.views(conversation.journal.id)[0]!;
      app.attachments.remove(id);
      const said = ((await rejection(attach({ kind: 'file', path: 'context/large.txt' }))) as Error).message;
      const [has, room] = [...said.matchAll(/[\d,]{4,}/g)].map(([digits]) => Number(digits.replaceAll(',', '')));
      return { chip, has: has!, room: room! };
    };
    const before = await figures();
    // Like for a model whose tokenizer produces twice as many tokens.
    const once = conversation.meter.providerTokens.bind(conversation.meter);
    conversation.meter.providerTokens = (counted) => 2 * once(counted);
    const { chip, has, room } = await figures();
    assert.ok(Math.abs(chip - before.chip * 2) <= 1, `${chip}, and ${before.chip} before`);
    assert.ok(Math.abs(has - before.has * 2) <= 1, `${has}, and ${before.has} before`);
    const gauge = gaugeView(conversation);
    assert.ok(Math.abs(room - (gauge.budget - gauge.used)) <= 2, `${room} of ${gauge.budget - gauge.used}`);
  });

  it('adds the active file once, unless it is outside the workspace, may hold secrets, or the setting is off', async () => {
    await using server = await WireServer.start();
    server.answer('Because.');
    await withSettings(answeredBy(server), async () => {
      const { attach, held, heldNames, conversation } = await page();
      await vscode.window.showTextDocument(vscode.Uri.file(inside('alpha.ts')));
      for (let times = 0; times < 2; times++) {
        await app.implicit.refresh();
        assert.deepEqual(heldNames(), ['context/alpha.ts']);
      }
      await vscode.window.showTextDocument(vscode.Uri.file(inside('leak.txt')));
      await app.implicit.refresh();
      assert.deepEqual(held(), [], 'nothing from outside of the workspace');
      await writeFile(inside('.env'), 'PLACE=here\n');
      await vscode.window.showTextDocument(vscode.Uri.file(inside('.env')));
      await app.implicit.refresh();
      assert.deepEqual(held(), [], 'nothing that holds secrets by its name');
      await vscode.window.showTextDocument(vscode.Uri.file(inside('alpha.ts')));
      await withSettings({ 'chat.implicitContext': false }, async () => {
        await app.implicit.refresh();
        assert.deepEqual(held(), []);
      });
      await restricted(async () => {
        await app.implicit.refresh();
        assert.deepEqual(held(), [], 'nothing by itself in Restricted Mode');
        await attach({ kind: 'file', path: 'context/alpha.ts' });
        assert.equal(held().length, 1, 'what the user picks');
        for (const { id } of app.attachments.views(conversation.journal.id)) app.attachments.remove(id);
      });
      await app.implicit.refresh();
      await conversation.sendMessage({ text: 'Why?', ...app.attachments.take(conversation.journal.id, []) });
      assert.match(JSON.stringify(server.lastRequest?.body), /class AlphaThing/);
      await app.implicit.refresh();
      assert.deepEqual(held(), [], 'the model has it verbatim');
    });
  });

  it('stops adding the active file once its tab is closed, while another tab has the focus or hides it', async () => {
    await using server = await WireServer.start();
    await withSettings(answeredBy(server), async () => {
      const { heldNames } = await page();
      const uri = vscode.Uri.file(inside('alpha.ts'));
      for (const place of [vscode.ViewColumn.Beside, vscode.ViewColumn.Active]) {
        await vscode.commands.executeCommand('workbench.action.closeAllEditors');
        await vscode.window.showTextDocument(uri, { preview: false });
        const tab = vscode.window.tabGroups.activeTabGroup.activeTab!;
        const chat = vscode.window.createWebviewPanel('threadkeeper.test', 'Test', place);
        while (vscode.window.activeTextEditor) await sleep(20);
        await app.implicit.refresh();
        assert.deepEqual(heldNames(), ['context/alpha.ts']);
        await vscode.window.tabGroups.close(tab);
        while (heldNames().length > 0) await sleep(20);
        chat.dispose();
      }
    });
  });
});
