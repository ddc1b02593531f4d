import * as v from 'valibot';
import type { Memento } from 'vscode';
import type { Conversation } from '../../app/conversation.ts';
import { list } from '../../core/model/fields.ts';
import { messageSchema } from '../../core/model/message.ts';

/** Maximum number of sessions whose drafts are kept, most recently used first. */
const MOST = 20;
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
      if (this.#drafts.size <= MOST) break;
      this.#drafts.delete(oldest);
    }
    void this.#memento.update(this.#key, [...this.#drafts]);
  }
}

/** Maximum length of a stored queued message, in characters, because a window reads all of them at startup. */
const MAX_QUEUED = 200_000;
/** `isCut`: only its text was short enough to be stored. */
const queueSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.array(
    v.object({
      text: v.string(),
      attachments: messageSchema.entries.attachments,
      images: v.optional(list(v.object({ type: v.literal('image'), mediaType: v.string(), base64: v.string() }))),
      pasted: v.optional(list(v.string())),
      isCut: v.optional(v.boolean()),
    }),
  ),
);

/** Queued messages. They survive a reload, after which the user has to send them. */
export class QueuedMessages {
  readonly #kept: Drafts;
  readonly #tellCut: () => void;

  /** @param tellCut reports that attachments of a message were too large to be stored */
  constructor(memento: Memento, tellCut: () => void) {
    this.#kept = new Drafts(memento, 'threadkeeper.queued');
    this.#tellCut = tellCut;
  }

  delete(session: string): void {
    this.#kept.set(session, '');
  }

  follow(conversation: Pick<Conversation, 'journal' | 'queue' | 'onUpdate'>): void {
    const { journal, queue } = conversation;
    const kept = v.safeParse(queueSchema, this.#kept.get(journal.id));
    if (kept.success && queue.items.length === 0) {
      queue.restore(kept.output);
      if (kept.output.some(({ isCut }) => isCut)) this.#tellCut();
    }
    conversation.onUpdate(({ type }) => {
      if (type !== 'queue_changed') return;
      const messages = queue.items.map(({ message }) =>
        JSON.stringify(message).length <= MAX_QUEUED ? message : { text: message.text, isCut: true },
      );
      this.#kept.set(journal.id, messages.length === 0 ? '' : JSON.stringify(messages));
    });
  }
}
