import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { pageHtml } from './page-html.ts';

/** Loads the product's page in a webview. It posts `ready` when it listens. */
export function loadPage(webview: vscode.Webview, extensionUri: vscode.Uri): void {
  const dist = vscode.Uri.joinPath(extensionUri, 'dist');
  webview.options = { enableScripts: true, localResourceRoots: [dist] };
  webview.html = pageHtml({
    nonce: randomBytes(16).toString('base64'),
    cspSource: webview.cspSource,
    language: vscode.env.language,
    translations: vscode.l10n.bundle ?? {},
    uri: (file) => webview.asWebviewUri(vscode.Uri.joinPath(dist, file)).toString(),
  });
}
