import * as vscode from 'vscode';
import type { Conversation, SendPreview } from '../../app/conversation.ts';
import type { ChatModel, Clock } from '../../app/ports.ts';
import type { UserMessage } from '../../app/user-message.ts';
import { messageId, nodeId, type SessionId } from '../../core/model/ids.ts';
import { messageText } from '../../core/model/message.ts';
import { DOCUMENT_SCHEME } from '../platform/contribution-ids.ts';
import type { HostApp } from '../platform/host-app.ts';
import { plainDocument, type RenderedDocument } from './rendered-document.ts';
import { documentUri, editableLevel, parseDocumentUri, type DocumentAddress } from './document-uris.ts';

/** The part of a file system that reads files and writes existing ones. */
export type EditableFiles = Pick<vscode.FileSystemProvider, 'onDidChangeFile' | 'stat' | 'readFile' | 'writeFile'>;

interface SessionFilesApp extends Pick<HostApp, 'describe'> {
  readonly clock: Pick<Clock, 'now'>;
  readonly drafts: { get(session: SessionId): string };
  readonly attachments: { contents(session: string): Required<Pick<UserMessage, 'attachments' | 'images'>> };
  /** The session with this ID, opened if it's the newest of the workspace; undefined if it isn't available. */
  conversationOf(id: string): Promise<Conversation | undefined>;
  availableModel(): Promise<ChatModel | undefined>;
}

interface CachedDocument {
  readonly rendered: RenderedDocument;
  readonly bytes: Uint8Array;
  /** Time of the last change, in milliseconds since the epoch. */
  readonly changedAt: number;
}

/** A file system with the session's documents, created on demand. Summaries can be edited and saved. */
export class SessionFiles implements EditableFiles, vscode.Disposable {
  readonly #app: SessionFilesApp;
  readonly #documents = new Map<string, CachedDocument>();
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changed.event;

  constructor(app: SessionFilesApp) {
    this.#app = app;
  }

  dispose(): void {
    this.#changed.dispose();
  }

  /** Updates open documents that have changed. */
  async refresh(): Promise<void> {
    const open = vscode.workspace.textDocuments.filter(({ uri }) => uri.scheme === DOCUMENT_SCHEME);
    const names = new Set(open.map(({ uri }) => uri.toString()));
    for (const name of this.#documents.keys()) if (!names.has(name)) this.#documents.delete(name);
    const changes: vscode.FileChangeEvent[] = [];
    for (const { uri } of open) {
      const previous = this.#documents.get(uri.toString());
      if ((await this.#load(uri)) !== previous) changes.push({ type: vscode.FileChangeType.Changed, uri });
    }
    if (changes.length > 0) this.#changed.fire(changes);
  }

  /** A document with its links. If it's open in an editor, the version that is shown there. */
  async document(uri: vscode.Uri): Promise<RenderedDocument> {
    const name = uri.toString();
    const isOpen = vscode.workspace.textDocuments.some((one) => one.uri.toString() === name);
    return ((isOpen ? this.#documents.get(name) : undefined) ?? (await this.#load(uri))).rendered;
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { bytes, changedAt } = this.#documents.get(uri.toString()) ?? (await this.#load(uri));
    const stat = { type: vscode.FileType.File, ctime: 0, mtime: changedAt, size: bytes.length };
    return editableLevel(uri) ? stat : { ...stat, permissions: vscode.FilePermission.Readonly };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return (await this.#load(uri)).bytes;
  }

  async writeFile(uri: vscode.Uri, content: Uint8Array): Promise<void> {
    const address = parseDocumentUri(uri);
    const level = editableLevel(uri);
    if (!address || !level) throw vscode.FileSystemError.NoPermissions(uri);
    const conversation = await this.#app.conversationOf(address.session);
    if (!conversation) throw vscode.FileSystemError.Unavailable(uri);
    const text = new TextDecoder().decode(content);
    try {
      const { editSummary } = await import('../../app/summary-changes.ts');
      await editSummary(conversation.journal, conversation.counter, nodeId(address.id), level, text);
    } catch (error) {
      throw new vscode.FileSystemError(this.#app.describe(error).text);
    }
    await this.#load(uri);
  }

  /** Renders a document; returns the previous one if the text is the same. */
  async #load(uri: vscode.Uri): Promise<CachedDocument> {
    const address = parseDocumentUri(uri);
    if (!address) throw vscode.FileSystemError.FileNotFound(uri);
    const rendered =
      (await this.#render(address)) ?? plainDocument(vscode.l10n.t('This item is no longer in the session.'));
    const name = uri.toString();
    const previous = this.#documents.get(name);
    if (previous?.rendered.text === rendered.text) return previous;
    const document = { rendered, bytes: new TextEncoder().encode(rendered.text), changedAt: this.#app.clock.now() };
    this.#documents.set(name, document);
    return document;
  }

  async #render(address: DocumentAddress): Promise<RenderedDocument | undefined> {
    const conversation = await this.#app.conversationOf(address.session);
    if (!conversation) return plainDocument(vscode.l10n.t('To view this document, open its session.'));
    const { compressionsDocument, nextRequestDocument } = await import('./session-documents.ts');
    const { nodeDocument, sourceDocument, structuredDocument } = await import('./node-documents.ts');
    const { state } = conversation;
    const node = state.nodes.get(nodeId(address.id));
    switch (address.kind) {
      case 'node':
        return node && nodeDocument(state, node);
      case 'source':
        return node && sourceDocument(state, node);
      case 'structured':
        return node && structuredDocument(state, node);
      case 'brief':
      case 'detailed':
      case 'full': {
        const text = node?.[address.kind];
        return text === undefined ? undefined : plainDocument(`${text}\n`);
      }
      case 'message': {
        const message = state.messages.get(messageId(address.id));
        // Only the text, so that offsets in it apply to the document.
        return message && plainDocument(messageText(message));
      }
      case 'compressions':
        return compressionsDocument(conversation);
      case 'next': {
        const preview = await this.#preview(conversation);
        const { text, attachments, images } = this.#draft(conversation);
        const body = documentUri(conversation.journal.id, 'request', 'now', vscode.l10n.t('Request'));
        const isDraft = text !== '' || attachments.length > 0 || images.length > 0;
        return nextRequestDocument(preview, conversation, isDraft, body);
      }
      case 'request': {
        const { request } = await this.#preview(conversation);
        const model = await this.#app.availableModel();
        // A request that isn't sent by HTTP is shown in Threadkeeper's own format.
        return plainDocument(model?.wireBody?.(request) ?? JSON.stringify(request));
      }
    }
  }

  #preview(conversation: Conversation): Promise<SendPreview> {
    return conversation.previewSend(this.#draft(conversation));
  }

  #draft({ journal: { id } }: Conversation) {
    return { text: this.#app.drafts.get(id), ...this.#app.attachments.contents(id) };
  }
}
