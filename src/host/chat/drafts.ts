import * as v from 'valibot';
import type { Memento } from 'vscode';
import type { Conversation } from '../../app/conversation.ts';
import { readonlyList } from '../../core/model/field-schemas.ts';
import { messageSchema } from '../../core/model/message.ts';

/** Maximum number of sessions whose drafts are stored: the most recently changed ones. */
const MAX_DRAFTS = 20;
const KEY = 'threadkeeper.drafts';
const draftsSchema = v.fallback(v.array(v.tuple([v.string(), v.string()])), []);

/** Unsent text in the composer, per session. It survives a reload. */
export class Drafts {
  readonly #memento: Memento;
  readonly #drafts: Map<string, string>;
  readonly #key: string;

  constructor(memento: Memento, key = KEY) {
    this.#memento = memento;
    this.#key = key;
    this.#drafts = new Map(v.parse(draftsSchema, memento.get<unknown>(key)));
  }

  get(session: string): string {
    return this.#drafts.get(session) ?? '';
  }

  set(session: string, text: string): void {
    this.#drafts.delete(session);
    if (text !== '') this.#drafts.set(session, text);
    for (const oldest of this.#drafts.keys()) {
      if (this.#drafts.size <= MAX_DRAFTS) break;
      this.#drafts.delete(oldest);
    }
    void this.#memento.update(this.#key, [...this.#drafts]);
  }
}

/** Maximum length of a queued message as JSON, in UTF-16 units, because a window reads all of them at startup. */
const MAX_QUEUED_LENGTH = 200_000;
/** `isCut`: the message was too long, so only its text was stored. */
const queueSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.array(
    v.object({
      text: v.string(),
      attachments: messageSchema.entries.attachments,
      images: v.optional(
        readonlyList(v.object({ type: v.literal('image'), mediaType: v.string(), base64: v.string() })),
      ),
      pasted: v.optional(readonlyList(v.string())),
      isCut: v.optional(v.boolean()),
    }),
  ),
);

/** Queued messages. They survive a reload, after which the user has to send them. */
export class QueuedMessages {
  readonly #stored: Drafts;
  readonly #reportCut: () => void;

  /** @param reportCut reports that attachments of a message were too large to be stored */
  constructor(memento: Memento, reportCut: () => void) {
    this.#stored = new Drafts(memento, 'threadkeeper.queued');
    this.#reportCut = reportCut;
  }

  delete(session: string): void {
    this.#stored.set(session, '');
  }

  /** Restores a conversation's queue, and stores it whenever it changes. */
  restoreAndWatch(conversation: Pick<Conversation, 'journal' | 'queue' | 'onUpdate'>): void {
    const { journal, queue } = conversation;
    const stored = v.safeParse(queueSchema, this.#stored.get(journal.id));
    if (stored.success && queue.items.length === 0) {
      queue.restore(stored.output);
      if (stored.output.some(({ isCut }) => isCut)) this.#reportCut();
    }
    conversation.onUpdate(({ type }) => {
      if (type !== 'queue_changed') return;
      const messages = queue.items.map(({ message }) =>
        JSON.stringify(message).length <= MAX_QUEUED_LENGTH ? message : { text: message.text, isCut: true },
      );
      this.#stored.set(journal.id, messages.length === 0 ? '' : JSON.stringify(messages));
    });
  }
}
