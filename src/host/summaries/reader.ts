import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { parsePageMessage, type HostToPage } from '../../protocol/messages.ts';
import { READER_PANEL } from '../platform/ids.ts';
import { pageHtml } from '../platform/page-html.ts';
import { plainPage, type Page } from './document-page.ts';
import { openAsText, parseDocumentUri } from './documents.ts';

/** What the reader shows: a document of the session, or a report that is kept nowhere. */
interface Shown {
  readonly uri: vscode.Uri | undefined;
  readonly title: string;
  readonly page: Page;
}

/**
 * Shows documents as they are meant to be read, beside the chat: rendered by the page's own renderer, which runs no
 * markup of theirs. One panel in a window; the text behind it is a command away.
 */
export class Reader implements vscode.Disposable {
  readonly #pageOf: (uri: vscode.Uri) => Promise<Page>;
  readonly #openLink: (href: string, session: string | undefined) => Promise<void>;
  readonly #extensionUri: vscode.Uri;
  #panel: vscode.WebviewPanel | undefined;
  #shown: Shown | undefined;
  /** What was asked for last: another one may be made faster. */
  #asked: vscode.Uri | undefined;
  #targets: readonly vscode.Uri[] = [];
  #listens = false;
  /** Whether what is shown may have changed while it could not be seen. */
  #isStale = false;

  /** @param openLink follows a link in a message */
  constructor(
    pageOf: (uri: vscode.Uri) => Promise<Page>,
    openLink: (href: string, session: string | undefined) => Promise<void>,
    extensionUri: vscode.Uri,
  ) {
    this.#pageOf = pageOf;
    this.#openLink = openLink;
    this.#extensionUri = extensionUri;
  }

  dispose(): void {
    this.#panel?.dispose();
  }

  /** The document in front; undefined while the reader is not. */
  get uri(): vscode.Uri | undefined {
    return this.#panel?.active === true ? this.#shown?.uri : undefined;
  }

  /** Rejects where the document cannot be made: an empty page would not say why. */
  async open(uri: vscode.Uri): Promise<void> {
    this.#asked = uri;
    const page = await this.#pageOf(uri);
    if (this.#asked === uri) this.#show({ uri, title: titleOf(uri), page });
  }

  openText(title: string, text: string): Promise<void> {
    this.#asked = undefined;
    this.#show({ uri: undefined, title, page: plainPage(text) });
    return Promise.resolve();
  }

  /** Opens the text of what is shown, to be searched, copied or compared. */
  async openAsText(): Promise<void> {
    if (!this.#shown) return;
    if (this.#shown.uri) await openAsText(this.#shown.uri);
    else
      await vscode.window.showTextDocument(
        await vscode.workspace.openTextDocument({ language: 'markdown', content: this.#shown.page.text }),
      );
  }

  /** Shows what has changed; a preview is made when it is asked for, not with each message. */
  async refresh(): Promise<void> {
    const shown = this.#shown;
    if (!shown?.uri || parseDocumentUri(shown.uri)?.kind === 'dryRun') return;
    this.#isStale = this.#panel?.visible !== true;
    if (this.#isStale) return;
    const page = await this.#pageOf(shown.uri);
    if (this.#shown !== shown) return;
    this.#shown = { ...shown, page };
    this.#send();
  }

  #show(shown: Shown): void {
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
    // Never over the chat.
    const panel = vscode.window.createWebviewPanel(READER_PANEL, '', vscode.ViewColumn.Beside, {});
    const dist = vscode.Uri.joinPath(this.#extensionUri, 'dist');
    panel.webview.options = { enableScripts: true, localResourceRoots: [dist] };
    panel.webview.onDidReceiveMessage((value: unknown) => this.#receive(value));
    panel.onDidDispose(() => {
      this.#panel = undefined;
      this.#shown = undefined;
      this.#listens = false;
    });
    panel.webview.html = pageHtml({
      nonce: randomBytes(16).toString('base64'),
      cspSource: panel.webview.cspSource,
      language: vscode.env.language,
      translations: vscode.l10n.bundle ?? {},
      uri: (file) => panel.webview.asWebviewUri(vscode.Uri.joinPath(dist, file)).toString(),
    });
    return panel;
  }

  #receive(value: unknown): void {
    const parsed = parsePageMessage(value);
    if (!parsed.ok) return;
    const { message } = parsed;
    if (message.type === 'ready') {
      this.#listens = true;
      this.#send();
      // What cannot be generated again is shown unchanged.
      if (this.#isStale) void this.refresh().catch(() => undefined);
    } else if (message.type === 'request') {
      const { id, body } = message;
      if (body.type === 'openLink') void this.#follow(body.href);
      else if (body.type === 'codeAction') void vscode.env.clipboard.writeText(body.text);
      else return;
      this.#post({ type: 'answer', id, ok: true, value: null });
    }
  }

  /** A link of the document leads to another one; those of what it quotes are followed as in the chat. */
  async #follow(href: string): Promise<void> {
    const target = this.#targets[Number(/^threadkeeper:message\/link-(\d+)$/.exec(href)?.[1])];
    const uri = this.#shown?.uri;
    if (!target) await this.#openLink(href, uri && parseDocumentUri(uri)?.session);
    else if (isPlain(target)) await openAsText(target);
    else if (parseDocumentUri(target)) await this.open(target);
    else await vscode.commands.executeCommand('vscode.open', target);
  }

  #send(): void {
    if (!this.#listens || !this.#shown) return;
    const { title, page } = this.#shown;
    this.#targets = page.links.map(({ target }) => target);
    this.#post({ type: 'document', title, text: withLinks(page) });
  }

  #post(message: HostToPage): void {
    void this.#panel?.webview.postMessage(message);
  }
}

/** What is no Markdown of ours: a message verbatim, and JSON. */
function isPlain(uri: vscode.Uri): boolean {
  const kind = parseDocumentUri(uri)?.kind;
  return kind === 'message' || kind === 'request';
}

const titleOf = ({ path }: vscode.Uri): string => path.slice(path.lastIndexOf('/') + 1).replace(/\.\w+$/, '');

/** The text with its links as Markdown has them: by their numbers, since the page follows nothing by itself. */
function withLinks({ text, links }: Page): string {
  const lines = text.split('\n');
  for (const [number, { line, start, end }] of [...links.entries()].reverse()) {
    const whole = lines[line] ?? '';
    const name = whole.slice(start, end).replace(/[[\]\\]/g, '\\$&');
    lines[line] = `${whole.slice(0, start)}[${name}](threadkeeper:message/link-${number})${whole.slice(end)}`;
  }
  return lines.join('\n');
}
