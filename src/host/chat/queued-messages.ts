import * as v from 'valibot';
import type { Conversation } from '../../app/conversation.ts';
import { messageIdSchema, readonlyList } from '../../core/model/field-schemas.ts';
import { messageSchema } from '../../core/model/message.ts';
import { SessionFile, type SessionFileDeps } from './session-file.ts';

/** Maximum length of a queued message as JSON, in UTF-16 units, because writing the file blocks the extension host. */
const MAX_QUEUED_LENGTH = 200_000;
/** `isCut`: the message was too long, so only its text was stored. */
const schema = v.array(
  v.object({
    id: v.optional(messageIdSchema),
    text: v.string(),
    attachments: messageSchema.entries.attachments,
    images: v.optional(readonlyList(v.object({ type: v.literal('image'), mediaType: v.string(), base64: v.string() }))),
    pasted: v.optional(readonlyList(v.string())),
    isCut: v.optional(v.boolean()),
  }),
);

interface QueuedMessagesDeps extends SessionFileDeps {
  /** Reports that attachments of a message were too large to be stored. */
  readonly reportCut: () => void;
}

/** Stores queued messages before the page shows them. After a reload, the user has to send them. */
export class QueuedMessages {
  readonly #file: SessionFile<v.InferOutput<typeof schema>>;
  readonly #reportCut: () => void;

  constructor({ reportCut, ...deps }: QueuedMessagesDeps) {
    this.#file = new SessionFile(deps, 'queue', schema);
    this.#reportCut = reportCut;
  }

  /** Restores a conversation's queue, and stores it whenever it changes. Does nothing while another window writes. */
  restoreAndWatch(conversation: Pick<Conversation, 'journal' | 'queue' | 'onUpdate'>): void {
    const { journal, queue } = conversation;
    this.#restore(conversation);
    let isWriter = journal.readOnly === undefined;
    // The listener is called without events when another window becomes the writer, or this one.
    journal.onDidChange((events) => {
      if (events.length > 0) return;
      // The window that has taken over restores the messages. Here, they would be sent again if this one takes over.
      if (isWriter && journal.readOnly?.reason === 'not_writer') for (const { id } of queue.items) queue.remove(id);
      isWriter = journal.readOnly === undefined;
      this.#restore(conversation);
    });
    conversation.onUpdate(({ type }) => {
      if (type === 'queue_changed') this.#store(conversation);
    });
  }

  #restore({ journal, queue }: Pick<Conversation, 'journal' | 'queue'>): void {
    if (journal.readOnly || queue.items.length > 0) return;
    const stored = this.#file.read(journal.id);
    if (!stored) return;
    queue.restore(stored);
    if (stored.some(({ isCut }) => isCut)) this.#reportCut();
  }

  #store({ journal, queue }: Pick<Conversation, 'journal' | 'queue'>): void {
    if (journal.readOnly) return;
    const messages = queue.unsent.map((message) =>
      JSON.stringify(message).length <= MAX_QUEUED_LENGTH
        ? message
        : { id: message.id, text: message.text, isCut: true },
    );
    this.#file.write(journal.id, messages.length > 0 ? messages : undefined);
  }
}
