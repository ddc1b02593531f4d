import * as vscode from 'vscode';
import type { LastEditor } from './last-editor.ts';
import type { Attachment } from '../core/model/message.ts';
import type { TokenCounter } from '../core/tokens/token-counter.ts';
import { RequestFault } from '../protocol/faults.ts';
import type { RequestOf } from '../protocol/requests.ts';
import type { AttachmentView } from '../protocol/views.ts';

/** Bytes of a file that may be attached, at most: some 250,000 tokens. */
const MOST_BYTES = 1_000_000;

type What = RequestOf<'attach'>['what'];

/** What the composer holds, until it is sent. The page knows handles; the content stays here. */
export class Attachments {
  readonly #held = new Map<string, { readonly attachment: Attachment; readonly view: AttachmentView }>();
  readonly #newId: () => string;

  readonly #editor: LastEditor;

  constructor(newId: () => string, editor: LastEditor) {
    this.#newId = newId;
    this.#editor = editor;
  }

  #read(what: What): Promise<Attachment> {
    return readFrom(what, () => {
      const seen = this.#editor.current;
      if (!seen) throw refuse(vscode.l10n.t('Open a file first.'));
      return seen;
    });
  }

  async add(what: What, counter: TokenCounter): Promise<AttachmentView> {
    return this.hold(await this.#read(what), counter);
  }

  /** Throws `RequestFault` when the file is too large. */
  async addFile(uri: vscode.Uri, counter: TokenCounter): Promise<AttachmentView> {
    return this.hold(await fileAttachment(uri), counter);
  }

  hold(attachment: Attachment, counter: TokenCounter): AttachmentView {
    const id = this.#newId();
    const { kind, name, lines } = attachment;
    const view = { id, kind, name, tokens: counter.attachment(attachment), ...(lines && { lines }) };
    this.#held.set(id, { attachment, view });
    return view;
  }

  /** What is held, as the composer shows it. */
  views(): AttachmentView[] {
    return [...this.#held.values()].map(({ view }) => view);
  }

  /** What a message would be sent with now. */
  contents(): Attachment[] {
    return [...this.#held.values()].map(({ attachment }) => attachment);
  }

  remove(id: string): void {
    this.#held.delete(id);
  }

  /** Hands over what a message is sent with. Throws `RequestFault` when one of them is gone. */
  take(ids: readonly string[]): Attachment[] {
    const taken = ids.map((id) => {
      const held = this.#held.get(id);
      if (!held)
        throw new RequestFault({ reason: 'not_found', text: vscode.l10n.t('An attachment is gone; attach it again.') });
      return held.attachment;
    });
    for (const id of ids) this.#held.delete(id);
    return taken;
  }
}

async function readFrom(what: What, editor: () => NonNullable<LastEditor['current']>): Promise<Attachment> {
  switch (what.kind) {
    case 'selection': {
      const { document, selection } = editor();
      const text = document.getText(selection);
      if (text === '') throw refuse(vscode.l10n.t('Nothing is selected in the editor.'));
      return {
        kind: 'selection',
        name: vscode.workspace.asRelativePath(document.uri),
        text,
        uri: document.uri.toString(),
        lines: [selection.start.line + 1, selection.end.line + 1],
      };
    }
    case 'currentFile':
      return fileAttachment(editor().document.uri);
    case 'file': {
      const folder = vscode.workspace.workspaceFolders?.[0];
      if (!folder) throw refuse(vscode.l10n.t('Open a folder first: there are no files to attach.'));
      return fileAttachment(vscode.Uri.joinPath(folder.uri, what.path));
    }
    case 'problems': {
      const { document } = editor();
      const problems = vscode.languages.getDiagnostics(document.uri);
      if (problems.length === 0) throw refuse(vscode.l10n.t('The file has no problems.'));
      const lines = problems.map((one) => `${one.range.start.line + 1}: ${one.message}`);
      return { kind: 'problems', name: vscode.workspace.asRelativePath(document.uri), text: lines.join('\n') };
    }
    case 'terminal': {
      await vscode.commands.executeCommand('workbench.action.terminal.copySelection');
      const text = await vscode.env.clipboard.readText();
      if (text === '') throw refuse(vscode.l10n.t('Nothing is selected in the terminal.'));
      return { kind: 'terminal', name: vscode.l10n.t('Terminal'), text };
    }
    case 'paste':
      return { kind: 'paste', name: vscode.l10n.t('Pasted text'), text: what.text };
    case 'image':
      throw refuse(vscode.l10n.t('The chosen model takes no images.'));
  }
}

async function fileAttachment(uri: vscode.Uri): Promise<Attachment> {
  const { size } = await vscode.workspace.fs.stat(uri);
  if (size > MOST_BYTES)
    throw new RequestFault({
      reason: 'too_large',
      text: vscode.l10n.t('The file is larger than 1 MB; attach a selection of it.'),
    });
  const document = await vscode.workspace.openTextDocument(uri);
  return {
    kind: 'file',
    name: vscode.workspace.asRelativePath(uri),
    text: document.getText(),
    uri: uri.toString(),
    lines: [1, document.lineCount],
  };
}

const refuse = (text: string): RequestFault => new RequestFault({ reason: 'invalid', text });
