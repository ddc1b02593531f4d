import * as vscode from 'vscode';
import { parsePageMessage, type HostToPage } from '../../protocol/messages.ts';
import { DOCUMENT_PANEL } from '../platform/contribution-ids.ts';
import type { HostApp } from '../platform/host-app.ts';
import { loadPage } from '../platform/webview-page.ts';
import { plainDocument, type RenderedDocument } from './rendered-document.ts';
import { openAsText, parseDocumentUri } from './document-uris.ts';

/** A document of a session, or a report, which has no URI. */
interface ShownDocument {
  readonly uri: vscode.Uri | undefined;
  readonly title: string;
  readonly rendered: RenderedDocument;
}

interface DocumentPanelApp extends Pick<HostApp, 'extensionUri' | 'describe'> {
  readonly files: { document(uri: vscode.Uri): Promise<RenderedDocument> };
  openDocumentLink(href: string, session: string | undefined): Promise<void>;
}

/** Shows documents with the chat page's renderer, which is safe for any content, in at most one panel per window. */
export class DocumentPanel implements vscode.Disposable {
  readonly #app: DocumentPanelApp;
  #panel: vscode.WebviewPanel | undefined;
  #shown: ShownDocument | undefined;
  /** Number of refreshes, and the one that is shown. */
  #versions = 0;
  #shownVersion = 0;
  /** The document requested last, because an earlier one may take longer to create. */
  #requested: vscode.Uri | undefined;
  #targets: readonly vscode.Uri[] = [];
  #listens = false;
  /** Whether the document may have changed while the panel was hidden. */
  #isStale = false;

  constructor(app: DocumentPanelApp) {
    this.#app = app;
  }

  dispose(): void {
    this.#panel?.dispose();
  }

  /** The shown document; undefined if the panel isn't active or shows a report. */
  get uri(): vscode.Uri | undefined {
    return this.#panel?.active === true ? this.#shown?.uri : undefined;
  }

  /** Shows a document. Rejects if it can't be created, because an empty page wouldn't say why. */
  async open(uri: vscode.Uri): Promise<void> {
    this.#requested = uri;
    const rendered = await this.#app.files.document(uri);
    if (this.#requested === uri) this.#show({ uri, title: titleOf(uri), rendered });
  }

  openText(title: string, text: string): void {
    this.#requested = undefined;
    this.#show({ uri: undefined, title, rendered: plainDocument(text) });
  }

  /** Opens the shown document as text in an editor, so that it can be searched, copied, or compared. */
  async openAsText(): Promise<void> {
    if (!this.#shown) return;
    if (this.#shown.uri) await openAsText(this.#shown.uri);
    else
      await vscode.window.showTextDocument(
        await vscode.workspace.openTextDocument({ language: 'markdown', content: this.#shown.rendered.text }),
      );
  }

  /** Updates the shown document. A report stays as it is. */
  async refresh(): Promise<void> {
    const shown = this.#shown;
    if (!shown?.uri) return;
    this.#isStale = this.#panel?.visible !== true;
    if (this.#isStale) return;
    const version = ++this.#versions;
    const rendered = await this.#app.files.document(shown.uri);
    // A later version may have taken less time.
    if (this.#shown?.uri !== shown.uri || version < this.#shownVersion) return;
    this.#shownVersion = version;
    this.#shown = { ...shown, rendered };
    this.#send();
  }

  #show(shown: ShownDocument): void {
    this.#shown = shown;
    this.#isStale = false;
    const panel = (this.#panel ??= this.#newPanel());
    panel.title = shown.title;
    const kind = shown.uri && parseDocumentUri(shown.uri)?.kind;
    const isSummary = kind === 'node' || kind === 'structured' || kind === 'source';
    void vscode.commands.executeCommand('setContext', 'threadkeeper.readerShowsSummary', isSummary);
    panel.reveal(undefined, false);
    this.#send();
  }

  #newPanel(): vscode.WebviewPanel {
    // The chat stays visible.
    const panel = vscode.window.createWebviewPanel(DOCUMENT_PANEL, '', vscode.ViewColumn.Beside, {});
    panel.webview.onDidReceiveMessage((value: unknown) => this.#receive(value));
    panel.onDidDispose(() => {
      this.#panel = undefined;
      this.#shown = undefined;
      this.#listens = false;
    });
    loadPage(panel.webview, this.#app.extensionUri);
    return panel;
  }

  #receive(value: unknown): void {
    const parsed = parsePageMessage(value);
    if (!parsed.ok) return;
    const { message } = parsed;
    if (message.type === 'ready') {
      this.#listens = true;
      this.#send();
      // A document that can't be created again stays as it is.
      if (this.#isStale) void this.refresh().catch(() => undefined);
    } else if (message.type === 'request') {
      const { id, body } = message;
      if (body.type === 'openLink')
        this.#follow(body.href).catch((error: unknown) => {
          void vscode.window.showErrorMessage(this.#app.describe(error).text);
        });
      else if (body.type === 'codeAction') void vscode.env.clipboard.writeText(body.text);
      else return;
      this.#post({ type: 'answer', id, value: null });
    }
  }

  /** Follows one of the document's own links, or a link in quoted text, like the chat does. */
  async #follow(href: string): Promise<void> {
    const target = this.#targets[Number(/^threadkeeper:message\/link-(\d+)$/.exec(href)?.[1])];
    const uri = this.#shown?.uri;
    if (!target) await this.#app.openDocumentLink(href, uri && parseDocumentUri(uri)?.session);
    else if (isPlain(target)) await openAsText(target);
    else if (parseDocumentUri(target)) await this.open(target);
    else await vscode.commands.executeCommand('vscode.open', target);
  }

  #send(): void {
    if (!this.#listens || !this.#shown) return;
    const { title, rendered } = this.#shown;
    this.#targets = rendered.links.map(({ target }) => target);
    this.#post({ type: 'document', title, text: withLinks(rendered) });
  }

  #post(message: HostToPage): void {
    void this.#panel?.webview.postMessage(message);
  }
}

/** Whether a document is a verbatim message or JSON, rather than Markdown. */
function isPlain(uri: vscode.Uri): boolean {
  const kind = parseDocumentUri(uri)?.kind;
  return kind === 'message' || kind === 'request';
}

const titleOf = ({ path }: vscode.Uri): string => path.slice(path.lastIndexOf('/') + 1).replace(/\.\w+$/, '');

/** The text with Markdown links. They contain numbers, not addresses, because only the host follows links. */
function withLinks({ text, links }: RenderedDocument): string {
  const lines = text.split('\n');
  for (const [number, { line, start, end }] of [...links.entries()].reverse()) {
    const whole = lines[line] ?? '';
    const name = whole.slice(start, end).replace(/[[\]\\]/g, '\\$&');
    lines[line] = `${whole.slice(0, start)}[${name}](threadkeeper:message/link-${number})${whole.slice(end)}`;
  }
  return lines.join('\n');
}
