import { posix } from 'node:path';
import * as vscode from 'vscode';
import { sessionId, type SessionId } from '../../core/model/ids.ts';
import { type Attachment, type ImageBlock, messageText } from '../../core/model/message.ts';
import { isSecretFile } from '../../core/redact/secret-files.ts';
import type { SessionState } from '../../core/state/session-state.ts';
import { RequestFault } from '../../protocol/faults.ts';
import type { RequestOf } from '../../protocol/requests.ts';
import { imageTypeSchema, MAX_FILE_BYTES, MAX_IMAGE_BYTES } from '../../protocol/views.ts';
import {
  fileTypeOf,
  isInWorkspace,
  untrackedFiles,
  openFiles,
  workspaceFilesOnly,
  candidateUris,
  relativePath,
  repositories,
} from '../platform/workspace-files.ts';
import type { LastEditor } from './last-editor.ts';
import { nodeText } from '../../core/context/render-context.ts';
import { sentLevelOf } from '../../core/context/ledger-lines.ts';

/** Maximum number of files of an attached folder. */
const MAX_FILES = 200;
/** Maximum number of files of a folder to examine, including those that git ignores. */
const MAX_FOUND = 2_000;
/** Maximum size in bytes of a new file whose text is attached with changes, not only its name: about 5,000 tokens. */
const MAX_NEW_BYTES = 20_000;

export type ContextRequest = RequestOf<'attach'>['what'];

export interface ImageFile {
  readonly kind: 'image';
  readonly name: string;
  readonly image: ImageBlock;
}

export interface ContextSources {
  readonly editor: LastEditor;
  /** The state of another session of the workspace; undefined if it doesn't exist anymore. */
  readonly session: (id: SessionId) => Promise<SessionState | undefined>;
}

/** Reads the requested context. Throws `RequestFault` if there is none or too much. */
export async function readContext(
  request: ContextRequest,
  sources: ContextSources,
): Promise<readonly (Attachment | ImageFile)[]> {
  switch (request.kind) {
    case 'selection': {
      const { document, selection } = lastEditor(sources);
      if (selection.isEmpty) throw invalid(vscode.l10n.t('No text is selected in the editor.'));
      return [excerpt(document, selection)];
    }
    case 'currentFile':
      return [await readFile(lastEditor(sources).document.uri)];
    case 'file':
      return [await readFile(await workspaceUri(request.path))];
    case 'uri':
      return readUri(vscode.Uri.parse(request.uri, true));
    case 'folder':
      return [await readFolder(await workspaceUri(request.path))];
    case 'symbol': {
      const document = await vscode.workspace.openTextDocument(await workspaceUri(request.path));
      const [from, to] = request.lines;
      return [wholeLines(document, from - 1, to - 1)];
    }
    case 'openEditors':
      return Promise.all((await openFiles()).map(readFile));
    case 'problems':
      return [problems(lastEditor(sources).document.uri)];
    case 'allProblems':
      return [problems()];
    case 'changes':
      return [await readChanges()];
    case 'terminal':
      return [
        await readTerminal(
          () => vscode.commands.executeCommand('workbench.action.terminal.copySelection'),
          vscode.l10n.t('No text is selected in the terminal.'),
        ),
      ];
    case 'terminalCommand':
      return [
        await readTerminal(
          () => vscode.commands.executeCommand('workbench.action.terminal.copyLastCommandAndLastCommandOutput'),
          vscode.l10n.t('No recent command found in the terminal. Shell integration may be disabled.'),
        ),
      ];
    case 'session': {
      const state = await sources.session(sessionId(request.session));
      if (!state) throw invalid(vscode.l10n.t('This session is no longer in the workspace.'));
      return [{ kind: 'paste', name: state.title, text: sessionText(state) }];
    }
    case 'image': {
      const { kind, name, mediaType, base64 } = request;
      // Four base64 characters encode three bytes.
      if (base64.length * 0.75 > MAX_IMAGE_BYTES) throw imageTooLarge();
      return [{ kind, name, image: { type: 'image', mediaType, base64 } }];
    }
    case 'paste':
      return [{ kind: 'paste', name: request.name ?? vscode.l10n.t('Pasted text'), text: request.text }];
  }
}

const invalid = (text: string): RequestFault => new RequestFault('invalid', text);
const tooLarge = (text: string): RequestFault => new RequestFault('too_large', text);
const imageTooLarge = (): RequestFault => tooLarge(vscode.l10n.t('The image is larger than 3.7 MB.'));

function lastEditor({ editor }: ContextSources): NonNullable<LastEditor['current']> {
  if (!editor.current) throw invalid(vscode.l10n.t('Open a file first.'));
  return editor.current;
}

/** A file or folder of the workspace by its path, unless it leads out of the workspace through a symbolic link. */
async function workspaceUri(path: string): Promise<vscode.Uri> {
  if (!vscode.workspace.workspaceFolders)
    throw invalid(vscode.l10n.t('There are no files to add. Open a folder first.'));
  const [[uri] = []] = candidateUris(path);
  if (!uri || !(await isInWorkspace(uri)))
    throw invalid(vscode.l10n.t('This file isn’t in the workspace. Use Attach File to Chat to add it.'));
  return uri;
}

export function excerpt(document: vscode.TextDocument, range?: vscode.Range): Attachment {
  const { uri, lineCount } = document;
  return {
    kind: range ? 'selection' : 'file',
    name: relativePath(uri),
    text: document.getText(range),
    uri: uri.toString(),
    lines: range ? [range.start.line + 1, range.end.line + 1] : [1, lineCount],
  };
}

/** The lines `from` to `to` (0-based) as an attachment, as far as they exist: the document may have become shorter. */
export function wholeLines(document: vscode.TextDocument, from: number, to: number): Attachment {
  return excerpt(document, document.validateRange(new vscode.Range(Math.max(0, from), 0, to, Number.MAX_SAFE_INTEGER)));
}

/** Throws `RequestFault` if the file is too large, or neither text nor an image. */
async function readFile(uri: vscode.Uri): Promise<Attachment | ImageFile> {
  // A document that was never saved, or whose file was deleted.
  if ((await fileTypeOf(uri)) === undefined) return excerpt(await vscode.workspace.openTextDocument(uri));
  const name = relativePath(uri);
  const mediaType = imageTypeOf(uri);
  const { size } = await vscode.workspace.fs.stat(uri);
  if (mediaType && size > MAX_IMAGE_BYTES) throw imageTooLarge();
  if (!mediaType && size > MAX_FILE_BYTES)
    throw tooLarge(vscode.l10n.t('{0} is larger than 1 MB. Add a selection from it instead.', name));
  const bytes = await vscode.workspace.fs.readFile(uri);
  if (mediaType) {
    const base64 = Buffer.from(bytes).toString('base64');
    return { kind: 'image', name, image: { type: 'image', mediaType, base64 } };
  }
  if (!isText(bytes)) throw invalid(vscode.l10n.t('{0} isn’t a text file, so it can’t be added.', name));
  return excerpt(await vscode.workspace.openTextDocument(uri));
}

function imageTypeOf({ path }: vscode.Uri): ImageBlock['mediaType'] | undefined {
  const extension = posix.extname(path).slice(1).toLowerCase();
  return imageTypeSchema.options.find((type) => type === `image/${extension === 'jpg' ? 'jpeg' : extension}`);
}

/** Whether a file is text by git's rule: the first 8,000 bytes contain no zero byte. */
const isText = (bytes: Uint8Array): boolean => !bytes.subarray(0, 8_000).includes(0);

async function readUri(uri: vscode.Uri): Promise<readonly (Attachment | ImageFile)[]> {
  const type = (await fileTypeOf(uri)) ?? vscode.FileType.Unknown;
  return [await ((type & vscode.FileType.Directory) !== 0 ? readFolder(uri) : readFile(uri))];
}

/** The text files of a folder, without ignored ones. */
async function readFolder(folder: vscode.Uri): Promise<Attachment> {
  const name = `${relativePath(folder)}/`;
  const pattern = new vscode.RelativePattern(folder, '**/*');
  const found = await vscode.workspace.findFiles(pattern, '**/{node_modules,.git}/**', MAX_FOUND + 1);
  const files = (await workspaceFilesOnly(found)).sort((a, b) => (a.path < b.path ? -1 : 1));
  if (files.length > MAX_FILES || found.length > MAX_FOUND)
    throw tooLarge(vscode.l10n.t('{0} contains more than {1} files. Add a subfolder instead.', name, MAX_FILES));
  const parts: string[] = [];
  let bytes = 0;
  for (const uri of files) {
    bytes += (await vscode.workspace.fs.stat(uri)).size;
    if (bytes > MAX_FILE_BYTES) throw tooLarge(vscode.l10n.t('{0} is larger than 1 MB. Add part of it instead.', name));
    const content = await vscode.workspace.fs.readFile(uri);
    if (isText(content)) parts.push(`${relativePath(uri)}:\n${new TextDecoder().decode(content).trimEnd()}`);
  }
  if (parts.length === 0) throw invalid(vscode.l10n.t('No text files found in {0}.', name));
  return { kind: 'file', name, text: parts.join('\n\n'), uri: folder.toString() };
}

function problems(uri?: vscode.Uri): Attachment {
  const list = uri ? [[uri, vscode.languages.getDiagnostics(uri)] as const] : vscode.languages.getDiagnostics();
  const lines = list.flatMap(([file, found]) => {
    const path = uri ? '' : `${relativePath(file)}:`;
    return found.map(
      ({ range, severity, message }) =>
        `${path}${range.start.line + 1}: ${vscode.DiagnosticSeverity[severity].toLowerCase()}: ${message}`,
    );
  });
  if (lines.length === 0)
    throw invalid(uri ? vscode.l10n.t('There are no problems in this file.') : vscode.l10n.t('There are no problems.'));
  const name = uri ? relativePath(uri) : vscode.l10n.t('Problems');
  return { kind: 'problems', name, text: lines.join('\n') };
}

/** Uncommitted changes: a diff, and new files, which a diff doesn't include. */
async function readChanges(): Promise<Attachment> {
  const parts: string[] = [];
  for (const repository of await repositories()) {
    parts.push(await repository.diff(true), await repository.diff(false));
    const files = await workspaceFilesOnly(untrackedFiles(repository));
    parts.push(...(await Promise.all(files.map((uri, at) => newFile(uri, at < MAX_FILES)))));
  }
  const text = parts.filter((part) => part.trim() !== '').join('\n');
  if (text === '') throw invalid(vscode.l10n.t('There are no changes in source control.'));
  return { kind: 'file', name: vscode.l10n.t('Changes'), text };
}

/** A new file with its text, or only its name if it's secret, not text, or too large; '' if it was deleted. */
async function newFile(uri: vscode.Uri, includesText: boolean): Promise<string> {
  const head = `New file: ${relativePath(uri)}`;
  try {
    const { size, type } = await vscode.workspace.fs.stat(uri);
    if (!includesText || type !== vscode.FileType.File || size > MAX_NEW_BYTES || isSecretFile(uri.path)) return head;
    const content = await vscode.workspace.fs.readFile(uri);
    return isText(content) ? `${head}\n${new TextDecoder().decode(content)}` : head;
  } catch (error) {
    if (error instanceof vscode.FileSystemError && error.code === 'FileNotFound') return '';
    throw error;
  }
}

/** Attaches the text that `copy` copies from the terminal to the clipboard, and restores the clipboard. */
async function readTerminal(copy: () => Thenable<unknown>, emptyText: string): Promise<Attachment> {
  const { clipboard } = vscode.env;
  const before = await clipboard.readText();
  await clipboard.writeText('');
  try {
    await copy();
    const text = await clipboard.readText();
    if (text === '') throw invalid(emptyText);
    return { kind: 'terminal', name: vscode.l10n.t('Terminal'), text };
  } finally {
    await clipboard.writeText(before);
  }
}

/** A session's text as in its own requests: summaries, then recent messages verbatim. */
function sessionText(state: SessionState): string {
  const summaries = state.frontier.map((item) => nodeText(item.node, sentLevelOf(state, item.node.id)));
  const messages = [...state.uncompressed()].map(({ message }) => `${message.role}: ${messageText(message)}`);
  return [...summaries, ...messages].join('\n\n');
}
