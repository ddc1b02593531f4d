import assert from 'node:assert/strict';
import type * as LastEditorModule from '../../../src/host/chat/last-editor.ts';
import { hostIn } from '../../support/fake-editor.ts';

const uriOf = (path: string) => ({ path, fsPath: path, scheme: 'vscode-vfs', toString: () => `file://${path}` });
const nothing = { dispose: () => undefined };
const editorOf = (path: string) => ({ document: { uri: uriOf(path) }, selection: { isEmpty: true } });

const window = {
  activeTextEditor: undefined as ReturnType<typeof editorOf> | undefined,
  visibleTextEditors: [] as readonly ReturnType<typeof editorOf>[],
  onDidChangeActiveTextEditor: () => nothing,
  onDidChangeTextEditorSelection: () => nothing,
};
const load = hostIn({ window, workspace: { onDidCloseTextDocument: () => nothing } });

describe('the file that was active before the chat', () => {
  const [left, right] = [editorOf('/w/left.ts'), editorOf('/w/right.ts')];

  it('stays the same while another file is visible, too', async () => {
    const { LastEditor } = await load<typeof LastEditorModule>('chat/last-editor.ts');
    window.visibleTextEditors = [left, right];
    window.activeTextEditor = right;
    const last = new LastEditor();
    // The chat gets the focus.
    window.activeTextEditor = undefined;
    assert.equal(last.current?.document, right.document);
  });

  it('is the visible one if its own tab was replaced', async () => {
    const { LastEditor } = await load<typeof LastEditorModule>('chat/last-editor.ts');
    window.visibleTextEditors = [right];
    window.activeTextEditor = right;
    const last = new LastEditor();
    window.visibleTextEditors = [left];
    window.activeTextEditor = undefined;
    assert.equal(last.current?.document, left.document);
  });
});
