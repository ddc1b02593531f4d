import type * as vscode from 'vscode';

/** Stands in for what shows the chat's page, in a tab or in the sidebar. */
export function latePages(
  find: () => Promise<vscode.WebviewPanelSerializer & vscode.WebviewViewProvider>,
): vscode.WebviewPanelSerializer & vscode.WebviewViewProvider {
  return {
    deserializeWebviewPanel: async (panel, state) => {
      const isThere = untilDisposed(panel);
      const pages = await find();
      if (isThere()) await pages.deserializeWebviewPanel(panel, state);
    },
    resolveWebviewView: async (view, context, token) => {
      const isThere = untilDisposed(view);
      const pages = await find();
      if (isThere()) await pages.resolveWebviewView(view, context, token);
    },
  };
}

/** Whether a place for a page is still there, to be asked later: the user may close it meanwhile. */
function untilDisposed(place: vscode.WebviewPanel | vscode.WebviewView): () => boolean {
  let isThere = true;
  place.onDidDispose(() => {
    isThere = false;
  });
  return () => isThere;
}
