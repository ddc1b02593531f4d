import * as vscode from 'vscode';
import type { Conversation } from '../../app/conversation.ts';
import type { UserMessage } from '../../app/user-message.ts';
import type { SessionId } from '../../core/model/ids.ts';
import type { Attachment } from '../../core/model/message.ts';
import { renderAttachment } from '../../core/text/render-attachment.ts';
import { imageTokens } from '../../core/tokens/image-size.ts';
import { REPLY_PRIMING_TOKENS } from '../../core/tokens/token-counter.ts';
import { RequestFault } from '../../protocol/faults.ts';
import type { AttachmentView } from '../../protocol/views.ts';
import type { Clock } from '../../app/ports.ts';
import type { ChosenModel, Models } from '../models/models.ts';
import { countText } from '../platform/l10n.ts';
import { readContext, type ContextRequest, type ContextSources, type ImageFile } from './read-context.ts';
import type { StoredAttachments } from './stored-attachments.ts';

interface Entry {
  readonly session: SessionId;
  readonly view: AttachmentView;
  readonly item: Attachment | ImageFile;
}

export type MessageAttachments = Required<Pick<UserMessage, 'attachments' | 'images'>>;

/** The conversation that an attachment must fit in. */
export type AttachmentTarget = Pick<Conversation, 'journal' | 'counter' | 'meter'>;

type Stored = Pick<StoredAttachments, 'read' | 'write' | 'retry' | 'forget'>;

interface AttachmentsApp {
  readonly clock: Pick<Clock, 'id' | 'yielder'>;
  readonly models: Pick<Models, 'takesImages'>;
  chosenModel(): ChosenModel;
}

/**
 * Attachments in the composers until they are sent. The page only has handles; the content stays in the host. All but
 * the automatic ones survive a reload.
 */
export class Attachments {
  readonly #entries = new Map<string, Entry>();
  /** Sessions whose stored attachments are in `#entries`. */
  readonly #restored = new Set<SessionId>();
  readonly #app: AttachmentsApp;
  readonly #sources: ContextSources;
  readonly #stored: Stored;

  constructor(app: AttachmentsApp, sources: ContextSources, stored: Stored) {
    this.#app = app;
    this.#sources = sources;
    this.#stored = stored;
  }

  /** Reads the requested context, and adds all or nothing. Throws `RequestFault` like `readContext` and `addAll`. */
  async add(target: AttachmentTarget, ...requests: readonly ContextRequest[]): Promise<void> {
    const read: (Attachment | ImageFile)[] = [];
    for (const request of requests) read.push(...(await readContext(request, this.#sources)));
    await this.addAll(target, ...read);
  }

  /** Adds all items or none. Throws `RequestFault` if they don't fit, or if the model doesn't accept images. */
  async addAll(target: AttachmentTarget, ...items: readonly (Attachment | ImageFile)[]): Promise<void> {
    if (items.some(({ kind }) => kind === 'image')) this.#checkImages();
    const counted = await this.#counted(target, items);
    const total = counted.reduce((sum, { item, tokens }) => (item.kind === 'image' ? sum : sum + tokens), 0);
    const availableTokens = this.room(target);
    if (total > availableTokens) throw noRoom(items.map(({ name }) => name).join(', '), total, availableTokens);
    for (const { item, tokens } of counted) this.#keep(target, item, tokens);
    this.#store(target.journal.id);
  }

  /** An attachment's size in the provider's tokens, like the gauge next to the composer. */
  async tokens({ counter, meter }: AttachmentTarget, item: Attachment | ImageFile): Promise<number> {
    if (item.kind === 'image') return imageTokens(item.image.base64);
    return meter.providerTokens(await counter.textYielding(renderAttachment(item), this.#app.clock.yielder));
  }

  /** Tokens that can still be attached: the budget minus the fixed parts of a request and the current attachments. */
  room({ journal, meter }: AttachmentTarget): number {
    const { system, rules, memory, ledger, summaries } = meter.context().tokens;
    const attached = this.views(journal.id).reduce((sum, { tokens, implicit }) => (implicit ? sum : sum + tokens), 0);
    const always = system + rules + memory + ledger + summaries + REPLY_PRIMING_TOKENS;
    return Math.max(0, meter.providerBudget() - meter.providerTokens(always) - attached);
  }

  /**
   * Replaces or removes the automatic attachment; returns true if the file or its size has changed. Other sessions lose
   * theirs, and get a new one when they are opened again.
   */
  setImplicit(session: SessionId, attachment: Attachment | undefined, tokens = 0): boolean {
    for (const { session: other, view } of this.#entries.values())
      if (view.implicit && other !== session) this.#entries.delete(view.id);
    const before = this.#inSession(session).find(({ view }) => view.implicit);
    if (!attachment) return before !== undefined && this.#entries.delete(before.view.id);
    const { kind, name } = attachment;
    const id = before?.view.id ?? this.#app.clock.id();
    const view = { id, kind, name, tokens, implicit: true } as const;
    this.#entries.set(id, { session, view, item: attachment });
    return before?.view.name !== name || before.view.tokens !== tokens;
  }

  views(session: SessionId): AttachmentView[] {
    return this.#inSession(session).map(({ view }) => view);
  }

  /** The attachments and images that the session's next message would have. */
  contents(session: SessionId): MessageAttachments {
    return contentsOf(this.#inSession(session));
  }

  /** Restores the attachments of a message that wasn't sent. */
  async restore(
    target: AttachmentTarget,
    { attachments = [], images = [] }: Partial<MessageAttachments>,
  ): Promise<void> {
    const named = images.map((image) => ({ kind: 'image', name: vscode.l10n.t('Image'), image }) as const);
    const counted = await this.#counted(target, [...attachments, ...named]);
    for (const { item, tokens } of counted) this.#keep(target, item, tokens);
    this.#store(target.journal.id);
  }

  explicitAttachments(session: SessionId): readonly Attachment[] {
    return contentsOf(this.#inSession(session).filter(({ view }) => !view.implicit)).attachments;
  }

  /** Forgets the attachments of an erased session. */
  forget(session: SessionId): void {
    for (const { session: other, view } of this.#entries.values()) if (other === session) this.#entries.delete(view.id);
    this.#restored.delete(session);
    this.#stored.forget(session);
  }

  /** Stores the attachments that couldn't be stored before. */
  retry(): void {
    this.#stored.retry();
  }

  /** Returns whether the removed attachment was the automatic one. */
  remove(id: string): boolean {
    const entry = this.#entries.get(id);
    this.#entries.delete(id);
    if (entry) this.#store(entry.session);
    return entry?.view.implicit === true;
  }

  /** Removes and returns a message's attachments. Throws `RequestFault` if one is missing or can't be sent. */
  take(session: SessionId, chosenIds: readonly string[]): MessageAttachments {
    const implicitIds = this.#inSession(session).flatMap(({ view }) => (view.implicit ? [view.id] : []));
    const ids = [...implicitIds, ...chosenIds];
    const taken = ids.flatMap((id) => this.#entries.get(id) ?? []);
    if (taken.length < ids.length)
      throw new RequestFault('not_found', vscode.l10n.t('An attachment is no longer available. Add it again.'));
    // The user may have selected another model since attaching it.
    if (taken.some(({ item }) => item.kind === 'image')) this.#checkImages();
    for (const id of ids) this.#entries.delete(id);
    if (chosenIds.length > 0) this.#store(session);
    return contentsOf(taken);
  }

  async #counted(target: AttachmentTarget, items: readonly (Attachment | ImageFile)[]) {
    const counted = [];
    for (const item of items) counted.push({ item, tokens: await this.tokens(target, item) });
    return counted;
  }

  #inSession(session: SessionId): Entry[] {
    if (!this.#restored.has(session)) {
      this.#restored.add(session);
      for (const { id, item, tokens } of this.#stored.read(session)) this.#set(session, id, item, tokens);
    }
    return [...this.#entries.values()].filter((one) => one.session === session);
  }

  #keep({ journal }: AttachmentTarget, item: Attachment | ImageFile, tokens: number): void {
    this.#set(journal.id, this.#app.clock.id(), item, tokens);
  }

  #set(session: SessionId, id: string, item: Attachment | ImageFile, tokens: number): void {
    const { kind, name } = item;
    const lines = item.kind === 'image' ? undefined : item.lines;
    this.#entries.set(id, { session, view: { id, kind, name, tokens, ...(lines && { lines }) }, item });
  }

  #store(session: SessionId): void {
    const explicit = this.#inSession(session).filter(({ view }) => !view.implicit);
    this.#stored.write(
      session,
      explicit.map(({ view: { id, tokens }, item }) => ({ id, tokens, item })),
    );
  }

  #checkImages(): void {
    if (!this.#app.models.takesImages(this.#app.chosenModel()))
      throw new RequestFault('invalid', vscode.l10n.t('The selected model doesn’t support images.'));
  }
}

function noRoom(name: string, tokens: number, room: number): RequestFault {
  return new RequestFault(
    'too_large',
    vscode.l10n.t(
      'Can’t add {0}: {1} tokens are needed, but only {2} are available. Add less text.',
      name,
      countText(tokens),
      countText(room),
    ),
  );
}

const contentsOf = (stored: readonly Entry[]): MessageAttachments => ({
  attachments: stored.flatMap(({ item }) => (item.kind === 'image' ? [] : item)),
  images: stored.flatMap(({ item }) => (item.kind === 'image' ? item.image : [])),
});
