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
import { readContext, type ContextSources } from './read-context.ts';

/** Bytes of an image, at most: what Anthropic takes is 5 MB in base64. */
const MAX_IMAGE_BYTES = 3_750_000;

type What = RequestOf<'attach'>['what'];

interface Held {
  readonly session: string;
  readonly view: AttachmentView;
  readonly attachment?: Attachment;
  readonly image?: ImageBlock;
}

/** What goes with a message beside its text. */
export interface Enclosed {
  readonly attachments: readonly Attachment[];
  readonly images: readonly ImageBlock[];
}

/** What of a conversation an attachment is for, and has to fit into. */
export type Holder = Pick<Conversation, 'journal' | 'counter' | 'meter'>;

interface AttachmentsApp {
  readonly clock: Pick<Clock, 'id'>;
  readonly models: Pick<Models, 'takesImages'>;
  chosenModel(): ChosenModel;
}

/** What the composers hold, each session its own, until it is sent. The page knows handles; the content stays here. */
export class Attachments {
  readonly #held = new Map<string, Held>();
  readonly #app: AttachmentsApp;
  readonly #sources: ContextSources;

  constructor(app: AttachmentsApp, sources: ContextSources) {
    this.#app = app;
    this.#sources = sources;
  }

  /** Throws `RequestFault` when there is nothing to attach, too much of it, or an image that the model would not take. */
  async add(holder: Holder, what: What): Promise<void> {
    if (what.kind !== 'image') return this.hold(holder, ...(await readContext(what, this.#sources)));
    this.#checkImages();
    const { name, mediaType, base64 } = what;
    // Four characters of base64 stand for three bytes.
    if (base64.length * 0.75 > MAX_IMAGE_BYTES)
      throw new RequestFault('too_large', vscode.l10n.t('The image is larger than 3.7 MB.'));
    this.#keepImage(holder, name, { type: 'image', mediaType, base64 });
  }

  /** Holds all of them or none. Throws `RequestFault` when they take more tokens than are left for them. */
  hold(holder: Holder, ...attachments: readonly Attachment[]): void {
    const counted = attachments.map((attachment) => ({ attachment, tokens: this.tokens(holder, attachment) }));
    const total = counted.reduce((sum, { tokens }) => sum + tokens, 0);
    const room = this.room(holder);
    if (total > room) throw noRoom(attachments.map(({ name }) => name).join(', '), total, room);
    for (const { attachment, tokens } of counted) this.#keepText(holder, attachment, tokens);
  }

  /** In the provider's own tokens, as the gauge beside the composer counts. */
  tokens({ counter, meter }: Holder, attachment: Attachment): number {
    return meter.shown(counter.attachment(attachment));
  }

  /** Tokens that may still be attached: of the budget, less what every request holds and what is attached already. */
  room({ journal, meter }: Holder): number {
    const { system, rules, memory, ledger, summaries } = meter.context().tokens;
    const held = this.views(journal.id).reduce((sum, { tokens, implicit }) => (implicit ? sum : sum + tokens), 0);
    const always = system + rules + memory + ledger + summaries + REPLY_PRIMING_TOKENS;
    return Math.max(0, meter.providerBudget() - meter.shown(always) - held);
  }

  /**
   * Puts what goes with the next message by itself in the place of what did, or takes it away; true when that is
   * another file or has another size.
   */
  imply(holder: Holder, attachment: Attachment | undefined): boolean {
    const session = holder.journal.id;
    const before = this.#of(session).find(({ view }) => view.implicit);
    if (!attachment) return before !== undefined && this.#held.delete(before.view.id);
    const { kind, name } = attachment;
    const id = before?.view.id ?? this.#app.clock.id();
    const view = { id, kind, name, tokens: this.tokens(holder, attachment), implicit: true } as const;
    this.#held.set(id, { session, view, attachment });
    return before?.view.name !== name || before.view.tokens !== view.tokens;
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
  giveBack(holder: Holder, { attachments = [], images = [] }: Partial<Enclosed>): void {
    for (const attachment of attachments) this.#keepText(holder, attachment, this.tokens(holder, attachment));
    for (const image of images) this.#keepImage(holder, vscode.l10n.t('Image'), image);
  }

  /** What the user has attached. */
  chosen(session: string): readonly Attachment[] {
    return enclosed(this.#of(session).filter(({ view }) => !view.implicit)).attachments;
  }

  /** True when it was there by itself. */
  remove(id: string): boolean {
    const isImplicit = this.#held.get(id)?.view.implicit === true;
    this.#held.delete(id);
    return isImplicit;
  }

  /** Hands over what a message of the session is sent with, and what goes by itself. Throws `RequestFault` when one of them is gone, or cannot be sent. */
  take(session: string, chosen: readonly string[]): Enclosed {
    const implied = this.#of(session).flatMap(({ view }) => (view.implicit ? [view.id] : []));
    const ids = [...implied, ...chosen];
    const taken = ids.flatMap((id) => this.#held.get(id) ?? []);
    if (taken.length < ids.length)
      throw new RequestFault('not_found', vscode.l10n.t('An attachment is no longer available. Add it again.'));
    // Another model may have been chosen since it was attached.
    if (taken.some(({ image }) => image)) this.#checkImages();
    for (const id of ids) this.#held.delete(id);
    return enclosed(taken);
  }

  #of(session: string): Held[] {
    return [...this.#held.values()].filter((held) => held.session === session);
  }

  #keepImage(holder: Holder, name: string, image: ImageBlock): void {
    this.#keep(holder, { kind: 'image', name, tokens: imageTokens(image.base64) }, { image });
  }

  #keepText(holder: Holder, attachment: Attachment, tokens: number): void {
    const { kind, name, lines } = attachment;
    this.#keep(holder, { kind, name, tokens, ...(lines && { lines }) }, { attachment });
  }

  #keep({ journal }: Holder, view: Omit<AttachmentView, 'id'>, content: Pick<Held, 'attachment' | 'image'>): void {
    const id = this.#app.clock.id();
    this.#held.set(id, { session: journal.id, view: { id, ...view }, ...content });
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

const enclosed = (held: readonly Held[]): Enclosed => ({
  attachments: held.flatMap(({ attachment }) => attachment ?? []),
  images: held.flatMap(({ image }) => image ?? []),
});
