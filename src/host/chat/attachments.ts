import * as vscode from 'vscode';
import type { Conversation } from '../../app/conversation.ts';
import type { Attachment, ImageBlock } from '../../core/model/message.ts';
import { imageTokens } from '../../core/tokens/image-size.ts';
import { REPLY_PRIMING_TOKENS } from '../../core/tokens/token-counter.ts';
import { RequestFault } from '../../protocol/faults.ts';
import type { RequestOf } from '../../protocol/requests.ts';
import type { AttachmentView } from '../../protocol/views.ts';
import type { Clock } from '../../app/ports.ts';
import type { ChosenModel, Models } from '../models/models.ts';
import { countText } from '../platform/l10n.ts';
import { imageTooLarge, MAX_IMAGE_BYTES, readContext, type ContextSources, type ImageFile } from './read-context.ts';

type AttachRequest = RequestOf<'attach'>['what'];

interface Entry {
  readonly session: string;
  readonly view: AttachmentView;
  readonly attachment?: Attachment;
  readonly image?: ImageBlock;
}

/** What is sent with a message besides its text. */
export interface MessageAttachments {
  readonly attachments: readonly Attachment[];
  readonly images: readonly ImageBlock[];
}

/** The conversation that an attachment must fit in. */
export type AttachmentTarget = Pick<Conversation, 'journal' | 'counter' | 'meter'>;

interface AttachmentsApp {
  readonly clock: Pick<Clock, 'id'>;
  readonly models: Pick<Models, 'takesImages'>;
  chosenModel(): ChosenModel;
}

/**
 * Attachments in the composers, per session, until they are sent. The page only has handles; the content stays in the
 * host.
 */
export class Attachments {
  readonly #stored = new Map<string, Entry>();
  readonly #app: AttachmentsApp;
  readonly #sources: ContextSources;

  constructor(app: AttachmentsApp, sources: ContextSources) {
    this.#app = app;
    this.#sources = sources;
  }

  /** Throws `RequestFault` if there is nothing to attach or it's too large, or if the model doesn't accept images. */
  async add(holder: AttachmentTarget, what: AttachRequest): Promise<void> {
    if (what.kind !== 'image') return this.addAll(holder, ...(await readContext(what, this.#sources)));
    this.#checkImages();
    const { name, mediaType, base64 } = what;
    // Four base64 characters encode three bytes.
    if (base64.length * 0.75 > MAX_IMAGE_BYTES) throw imageTooLarge();
    this.#keepImage(holder, name, { type: 'image', mediaType, base64 });
  }

  /** Adds files and folders by their URIs, all or none. Throws `RequestFault` if one can't be added. */
  async addUris(holder: AttachmentTarget, uris: readonly string[]): Promise<void> {
    const read: (Attachment | ImageFile)[] = [];
    for (const uri of uris) read.push(...(await readContext({ kind: 'uri', uri }, this.#sources)));
    this.addAll(holder, ...read);
  }

  /** Adds all or none. Throws `RequestFault` if they don't fit, or if the model doesn't accept images. */
  addAll(holder: AttachmentTarget, ...items: readonly (Attachment | ImageFile)[]): void {
    const images = items.filter((item) => item.kind === 'image');
    if (images.length > 0) this.#checkImages();
    const counted = items
      .filter((item) => item.kind !== 'image')
      .map((attachment) => ({ attachment, tokens: this.tokens(holder, attachment) }));
    const total = counted.reduce((sum, { tokens }) => sum + tokens, 0);
    const availableTokens = this.room(holder);
    if (total > availableTokens) throw noRoom(items.map(({ name }) => name).join(', '), total, availableTokens);
    for (const { attachment, tokens } of counted) this.#keepText(holder, attachment, tokens);
    for (const { name, image } of images) this.#keepImage(holder, name, image);
  }

  /** An attachment's size in the provider's tokens, like the gauge next to the composer. */
  tokens({ counter, meter }: AttachmentTarget, attachment: Attachment): number {
    return meter.providerTokens(counter.attachment(attachment));
  }

  /** Tokens that can still be attached: the budget without what every request contains and what is already attached. */
  room({ journal, meter }: AttachmentTarget): number {
    const { system, rules, memory, ledger, summaries } = meter.context().tokens;
    const attached = this.views(journal.id).reduce((sum, { tokens, implicit }) => (implicit ? sum : sum + tokens), 0);
    const always = system + rules + memory + ledger + summaries + REPLY_PRIMING_TOKENS;
    return Math.max(0, meter.providerBudget() - meter.providerTokens(always) - attached);
  }

  /** Replaces or removes the automatic attachment; returns true if the file or its size has changed. */
  setImplicit(holder: AttachmentTarget, attachment: Attachment | undefined): boolean {
    const session = holder.journal.id;
    const before = this.#inSession(session).find(({ view }) => view.implicit);
    if (!attachment) return before !== undefined && this.#stored.delete(before.view.id);
    const { kind, name } = attachment;
    const id = before?.view.id ?? this.#app.clock.id();
    const view = { id, kind, name, tokens: this.tokens(holder, attachment), implicit: true } as const;
    this.#stored.set(id, { session, view, attachment });
    return before?.view.name !== name || before.view.tokens !== view.tokens;
  }

  /** A session's attachments, as shown in its composer. */
  views(session: string): AttachmentView[] {
    return this.#inSession(session).map(({ view }) => view);
  }

  /** What would be sent with a message of the session now. */
  contents(session: string): MessageAttachments {
    return enclosed(this.#inSession(session));
  }

  /** Restores the attachments of a message that wasn't sent. */
  restore(holder: AttachmentTarget, { attachments = [], images = [] }: Partial<MessageAttachments>): void {
    for (const attachment of attachments) this.#keepText(holder, attachment, this.tokens(holder, attachment));
    for (const image of images) this.#keepImage(holder, vscode.l10n.t('Image'), image);
  }

  /** The user's own attachments. */
  explicitAttachments(session: string): readonly Attachment[] {
    return enclosed(this.#inSession(session).filter(({ view }) => !view.implicit)).attachments;
  }

  /** Returns whether the removed attachment was the automatic one. */
  remove(id: string): boolean {
    const isImplicit = this.#stored.get(id)?.view.implicit === true;
    this.#stored.delete(id);
    return isImplicit;
  }

  /**
   * Removes and returns the attachments for a message, including the automatic one. Throws `RequestFault` if one is
   * missing or can't be sent.
   */
  take(session: string, chosenIds: readonly string[]): MessageAttachments {
    const implicitIds = this.#inSession(session).flatMap(({ view }) => (view.implicit ? [view.id] : []));
    const ids = [...implicitIds, ...chosenIds];
    const taken = ids.flatMap((id) => this.#stored.get(id) ?? []);
    if (taken.length < ids.length)
      throw new RequestFault('not_found', vscode.l10n.t('An attachment is no longer available. Add it again.'));
    // The user may have selected another model since attaching it.
    if (taken.some(({ image }) => image)) this.#checkImages();
    for (const id of ids) this.#stored.delete(id);
    return enclosed(taken);
  }

  #inSession(session: string): Entry[] {
    return [...this.#stored.values()].filter((one) => one.session === session);
  }

  #keepImage(holder: AttachmentTarget, name: string, image: ImageBlock): void {
    this.#keep(holder, { kind: 'image', name, tokens: imageTokens(image.base64) }, { image });
  }

  #keepText(holder: AttachmentTarget, attachment: Attachment, tokens: number): void {
    const { kind, name, lines } = attachment;
    this.#keep(holder, { kind, name, tokens, ...(lines && { lines }) }, { attachment });
  }

  #keep(
    { journal }: AttachmentTarget,
    view: Omit<AttachmentView, 'id'>,
    content: Pick<Entry, 'attachment' | 'image'>,
  ): void {
    const id = this.#app.clock.id();
    this.#stored.set(id, { session: journal.id, view: { id, ...view }, ...content });
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

const enclosed = (stored: readonly Entry[]): MessageAttachments => ({
  attachments: stored.flatMap(({ attachment }) => attachment ?? []),
  images: stored.flatMap(({ image }) => image ?? []),
});
