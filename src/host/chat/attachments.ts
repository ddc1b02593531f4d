import * as vscode from 'vscode';
import { fileIn } from '../platform/workspace-files.ts';
import type { LastEditor } from './last-editor.ts';
import type { Attachment, ImageBlock } from '../../core/model/message.ts';
import { imageTokens } from '../../core/tokens/image-size.ts';
import type { TokenCounter } from '../../core/tokens/token-counter.ts';
import { RequestFault } from '../../protocol/faults.ts';
import type { RequestOf } from '../../protocol/requests.ts';
import type { AttachmentView } from '../../protocol/views.ts';

/** Bytes of a file that may be attached, at most: some 250,000 tokens. */
const MOST_BYTES = 1_000_000;

/** Bytes of an image, at most: what Anthropic takes is 5 MB in base64. */
const MOST_IMAGE_BYTES = 3_750_000;

type What = RequestOf<'attach'>['what'];
type TextPlace = Exclude<What, { readonly kind: 'image' }>;

type Content =
  { readonly kind: 'text'; readonly attachment: Attachment } | { readonly kind: 'image'; readonly block: ImageBlock };

interface Held {
  readonly session: string;
  readonly view: AttachmentView;
  readonly content: Content;
}

/** What goes with a message beside its text. */
export interface Enclosed {
  readonly attachments: readonly Attachment[];
  readonly images: readonly ImageBlock[];
}

/** What the composers hold, each session its own, until it is sent. The page knows handles; the content stays here. */
export class Attachments {
  readonly #held = new Map<string, Held>();
  readonly #newId: () => string;
  readonly #editor: LastEditor;
  readonly #takesImages: () => boolean;

  constructor(newId: () => string, editor: LastEditor, takesImages: () => boolean) {
    this.#newId = newId;
    this.#editor = editor;
    this.#takesImages = takesImages;
  }

  /** Throws `RequestFault` when there is nothing to attach, too much of it, or an image that the model would not take. */
  async add(session: string, what: What, counter: TokenCounter): Promise<AttachmentView> {
    if (what.kind === 'image') return this.#holdImage(session, what);
    return this.hold(session, await this.#read(what), counter);
  }

  /** Throws `RequestFault` when the file is too large. */
  async addFile(session: string, uri: vscode.Uri, counter: TokenCounter): Promise<AttachmentView> {
    return this.hold(session, await fileAttachment(uri), counter);
  }

  hold(session: string, attachment: Attachment, counter: TokenCounter): AttachmentView {
    const { kind, name, lines } = attachment;
    const view = { id: this.#newId(), kind, name, tokens: counter.attachment(attachment), ...(lines && { lines }) };
    this.#held.set(view.id, { session, view, content: { kind: 'text', attachment } });
    return view;
  }

  /** What is held for a session, as its composer shows it. */
  views(session: string): AttachmentView[] {
    return this.#of(session).map(({ view }) => view);
  }

  /** What a message of the session would be sent with now. */
  contents(session: string): Enclosed {
    return enclosed(this.#of(session));
  }

  /** Takes back what was handed over for a message that is not sent. */
  giveBack(session: string, { attachments = [], images = [] }: Partial<Enclosed>, counter: TokenCounter): void {
    for (const attachment of attachments) this.hold(session, attachment, counter);
    for (const image of images) this.#keepImage(session, vscode.l10n.t('Image'), image);
  }

  remove(id: string): void {
    this.#held.delete(id);
  }

  /** Hands over what a message is sent with. Throws `RequestFault` when one of them is gone, or cannot be sent. */
  take(ids: readonly string[]): Enclosed {
    const taken = ids.map((id) => {
      const held = this.#held.get(id);
      if (!held)
        throw new RequestFault({
          reason: 'not_found',
          text: vscode.l10n.t('An attachment is no longer available. Add it again.'),
        });
      return held;
    });
    // Another model may have been chosen since it was attached.
    if (taken.some(({ content }) => content.kind === 'image')) this.#checkImages();
    for (const id of ids) this.#held.delete(id);
    return enclosed(taken);
  }

  #of(session: string): Held[] {
    return [...this.#held.values()].filter((held) => held.session === session);
  }

  #read(what: TextPlace): Promise<Attachment> {
    return readFrom(what, () => {
      const seen = this.#editor.current;
      if (!seen) throw refuse(vscode.l10n.t('Open a file first.'));
      return seen;
    });
  }

  #holdImage(session: string, { name, mediaType, base64 }: Extract<What, { kind: 'image' }>): AttachmentView {
    this.#checkImages();
    // Four characters of base64 stand for three bytes.
    if (base64.length * 0.75 > MOST_IMAGE_BYTES)
      throw new RequestFault({ reason: 'too_large', text: vscode.l10n.t('The image is larger than 3.7 MB.') });
    return this.#keepImage(session, name, { type: 'image', mediaType, base64 });
  }

  #keepImage(session: string, name: string, block: ImageBlock): AttachmentView {
    const view = { id: this.#newId(), kind: 'image' as const, name, tokens: imageTokens(block.base64) };
    this.#held.set(view.id, { session, view, content: { kind: 'image', block } });
    return view;
  }

  #checkImages(): void {
    if (!this.#takesImages()) throw refuse(vscode.l10n.t('The selected model doesn’t support images.'));
  }
}

function enclosed(held: readonly Held[]): Enclosed {
  const contents = held.map(({ content }) => content);
  return {
    attachments: contents.flatMap((each) => (each.kind === 'text' ? [each.attachment] : [])),
    images: contents.flatMap((each) => (each.kind === 'image' ? [each.block] : [])),
  };
}

async function readFrom(what: TextPlace, editor: () => NonNullable<LastEditor['current']>): Promise<Attachment> {
  switch (what.kind) {
    case 'selection': {
      const { document, selection } = editor();
      const text = document.getText(selection);
      if (text === '') throw refuse(vscode.l10n.t('No text is selected in the editor.'));
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
      if (!folder) throw refuse(vscode.l10n.t('There are no files to add. Open a folder first.'));
      const uri = fileIn(folder.uri, what.path);
      if (!uri) throw refuse(vscode.l10n.t('This file isn’t in the workspace. Use Attach File to Chat to add it.'));
      return fileAttachment(uri);
    }
    case 'problems': {
      const { document } = editor();
      const problems = vscode.languages.getDiagnostics(document.uri);
      if (problems.length === 0) throw refuse(vscode.l10n.t('There are no problems in this file.'));
      const lines = problems.map((one) => `${one.range.start.line + 1}: ${one.message}`);
      return { kind: 'problems', name: vscode.workspace.asRelativePath(document.uri), text: lines.join('\n') };
    }
    case 'terminal': {
      const text = await terminalSelection();
      if (text === '') throw refuse(vscode.l10n.t('No text is selected in the terminal.'));
      return { kind: 'terminal', name: vscode.l10n.t('Terminal'), text };
    }
    case 'paste':
      return { kind: 'paste', name: vscode.l10n.t('Pasted text'), text: what.text };
  }
}

/** What is selected in the terminal, by way of the clipboard, which is left as it was; empty when nothing is. */
async function terminalSelection(): Promise<string> {
  const { clipboard } = vscode.env;
  const before = await clipboard.readText();
  await clipboard.writeText('');
  try {
    await vscode.commands.executeCommand('workbench.action.terminal.copySelection');
    return await clipboard.readText();
  } finally {
    await clipboard.writeText(before);
  }
}

async function fileAttachment(uri: vscode.Uri): Promise<Attachment> {
  const { size } = await vscode.workspace.fs.stat(uri);
  if (size > MOST_BYTES)
    throw new RequestFault({
      reason: 'too_large',
      text: vscode.l10n.t('The file is larger than 1 MB. Add a selection from it instead.'),
    });
  const bytes = await vscode.workspace.fs.readFile(uri);
  // As git tells them: text holds no zero byte.
  if (bytes.subarray(0, 8_000).includes(0))
    throw refuse(vscode.l10n.t('This file isn’t a text file, so it can’t be added.'));
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
