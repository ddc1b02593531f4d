import * as v from 'valibot';
import type { Conversation } from '../../app/conversation.ts';
import { readonlyList } from '../../core/model/field-schemas.ts';
import { messageSchema } from '../../core/model/message.ts';
import { SessionFile, type SessionFileDeps } from './session-file.ts';

const schema = v.array(
  v.object({
    text: v.string(),
    attachments: messageSchema.entries.attachments,
    images: v.optional(readonlyList(v.object({ type: v.literal('image'), mediaType: v.string(), base64: v.string() }))),
    pasted: v.optional(readonlyList(v.string())),
  }),
);

/** Stores queued messages before the page shows them. After a reload, the user has to send them. */
export class QueuedMessages {
  readonly #file: SessionFile<v.InferOutput<typeof schema>>;

  constructor(deps: SessionFileDeps) {
    this.#file = new SessionFile(deps, 'queue', schema);
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
    if (stored) queue.restore(stored);
  }

  #store({ journal, queue }: Pick<Conversation, 'journal' | 'queue'>): void {
    if (journal.readOnly) return;
    const messages = queue.items.map(({ message }) => message);
    this.#file.write(journal.id, messages.length > 0 ? messages : undefined);
  }
}
