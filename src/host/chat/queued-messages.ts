import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as v from 'valibot';
import type { Conversation } from '../../app/conversation.ts';
import { readonlyList } from '../../core/model/field-schemas.ts';
import { messageSchema } from '../../core/model/message.ts';
import { errorCode, OWNER_ONLY } from '../../storage/disk-errors.ts';

/** Maximum length of a queued message as JSON, in UTF-16 units, because it's written before anything else happens. */
const MAX_QUEUED_LENGTH = 200_000;
/** `isCut`: the message was too long, so only its text was stored. */
const schema = v.pipe(
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

interface QueuedMessagesDeps {
  /** The folder of the journals. */
  readonly folder: string;
  /** Reports that attachments of a message were too large to be stored. */
  readonly reportCut: () => void;
  readonly warn: (message: string) => void;
}

/**
 * Stores queued messages in a file next to the session's journal. They survive a reload, after which the user has to
 * send them. The file is written synchronously, before the page shows the message as queued: VS Code's own storage is
 * written later, and would lose the message if the window were reloaded at once.
 */
export class QueuedMessages {
  readonly #deps: QueuedMessagesDeps;

  constructor(deps: QueuedMessagesDeps) {
    this.#deps = deps;
  }

  /** Restores a conversation's queue, and stores it whenever it changes. Does nothing while another window writes. */
  restoreAndWatch(conversation: Pick<Conversation, 'journal' | 'queue' | 'onUpdate'>): void {
    const { journal, queue } = conversation;
    this.#restore(conversation);
    let isWriter = journal.readOnly === undefined;
    // No events: the writer may have changed.
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
    const stored = v.safeParse(schema, this.#read(journal.id));
    if (!stored.success) return;
    queue.restore(stored.output);
    if (stored.output.some(({ isCut }) => isCut)) this.#deps.reportCut();
  }

  #read(session: string): string | undefined {
    try {
      return readFileSync(this.#path(session), 'utf8');
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') this.#deps.warn(`Queued messages could not be read: ${String(error)}`);
      return undefined;
    }
  }

  #store({ journal, queue }: Pick<Conversation, 'journal' | 'queue'>): void {
    if (journal.readOnly) return;
    const file = this.#path(journal.id);
    const messages = queue.items.map(({ message }) =>
      JSON.stringify(message).length <= MAX_QUEUED_LENGTH ? message : { text: message.text, isCut: true },
    );
    try {
      if (messages.length === 0) return rmSync(file, { force: true });
      writeFileSync(`${file}.new`, JSON.stringify(messages), { mode: OWNER_ONLY });
      renameSync(`${file}.new`, file);
    } catch (error) {
      this.#deps.warn(`Queued messages could not be stored: ${String(error)}`);
    }
  }

  #path(session: string): string {
    return path.join(this.#deps.folder, `${session}.queue.json`);
  }
}
