import * as v from 'valibot';
import type { Conversation } from '../../app/conversation.ts';
import { messageIdSchema, readonlyList, sessionIdSchema } from '../../core/model/field-schemas.ts';
import type { UserMessage } from '../../app/user-message.ts';
import type { SessionId } from '../../core/model/ids.ts';
import { messageSchema } from '../../core/model/message.ts';
import type { MementoLike } from '../../storage/stored-snapshots.ts';
import { SessionFile, type SessionFileDeps } from './session-file.ts';

/** Maximum length of a queued message as JSON, in UTF-16 units, because writing the file blocks the extension host. */
const MAX_QUEUED_LENGTH = 200_000;
/** `isDirect`: see `UnsentMessage`. `isCut`: the message was too long, so only its text was stored. */
const schema = v.array(
  v.object({
    id: v.optional(messageIdSchema),
    text: v.string(),
    attachments: messageSchema.entries.attachments,
    images: v.optional(readonlyList(v.object({ type: v.literal('image'), mediaType: v.string(), base64: v.string() }))),
    pasted: v.optional(readonlyList(v.string())),
    isDirect: v.optional(v.literal(true)),
    isCut: v.optional(v.boolean()),
  }),
);

interface QueuedMessagesDeps extends SessionFileDeps {
  /** Reports that attachments of a message were too large to be stored. */
  readonly reportCut: () => void;
}

type StoredMessage = v.InferOutput<typeof schema>[number];

/**
 * Stores messages that aren't in the session yet before the page shows them. After a reload, the user has to send them.
 * The file has the queue of the window that writes to the session, and messages that other windows are sending.
 */
export class QueuedMessages {
  readonly #file: SessionFile<StoredMessage[]>;
  readonly #reportCut: () => void;
  /** The IDs of this window's messages in the files. */
  readonly #own = new Map<SessionId, ReadonlySet<StoredMessage['id']>>();

  constructor({ reportCut, ...deps }: QueuedMessagesDeps) {
    this.#file = new SessionFile(deps, 'queue', schema);
    this.#reportCut = reportCut;
  }

  /** Restores a conversation's queue unless another window writes, and stores it whenever it changes. */
  restoreAndWatch(conversation: Pick<Conversation, 'journal' | 'queue' | 'onUpdate'>): void {
    const { journal, queue } = conversation;
    this.#restore(conversation);
    let isWriter = journal.readOnly === undefined;
    // The listener is called without events when another window becomes the writer, or this one.
    journal.onDidChange((events) => {
      if (events.length > 0) return;
      const wasWriter = isWriter;
      isWriter = journal.readOnly === undefined;
      // The window that has taken over restores the messages. Here, they would be sent again if this one takes over.
      if (wasWriter && journal.readOnly?.reason === 'not_writer') {
        this.#own.delete(journal.id);
        queue.clear();
      }
      // A message that another window is sending directly returns to its composer. If that window has crashed, the
      // message is restored when the session is opened again.
      if (!wasWriter) this.#restore(conversation, ({ isDirect }) => isDirect !== true);
      // The disk may have been full when the queue changed. Restoring it then would queue a message that is being sent.
      else this.#store(conversation);
    });
    conversation.onUpdate(({ type }) => {
      if (type === 'queue_changed') this.#store(conversation);
    });
  }

  #restore(
    { journal, queue }: Pick<Conversation, 'journal' | 'queue'>,
    includes: (message: StoredMessage) => boolean = () => true,
  ): void {
    this.#own.delete(journal.id);
    if (journal.readOnly) return;
    const unsent = new Set<StoredMessage['id']>(queue.unsent.map(({ id }) => id));
    const stored = (this.#file.read(journal.id) ?? [])
      .filter((message) => (message.id === undefined || !unsent.has(message.id)) && includes(message))
      .map(({ isDirect: _, ...message }) => message);
    this.#own.set(journal.id, new Set([...unsent, ...stored.map(({ id }) => id)]));
    queue.restore(stored);
    if (stored.some(({ isCut }) => isCut)) this.#reportCut();
  }

  #store({ journal, queue }: Pick<Conversation, 'journal' | 'queue'>): void {
    if (journal.readOnly && journal.readOnly.reason !== 'not_writer') return;
    const { unsent } = queue;
    const ids = new Set<StoredMessage['id']>(unsent.map(({ id }) => id));
    const own = this.#own.get(journal.id);
    const others = (this.#file.read(journal.id) ?? []).filter(
      ({ id }) => !ids.has(id) && own?.has(id) !== true && (id === undefined || !journal.state.messages.has(id)),
    );
    const messages = unsent.map((message) =>
      // Checked first, because converting megabytes to JSON would block the extension host.
      contentLength(message) <= MAX_QUEUED_LENGTH && JSON.stringify(message).length <= MAX_QUEUED_LENGTH
        ? message
        : { id: message.id, text: message.text, isDirect: message.isDirect, isCut: true },
    );
    const all = [...messages, ...others];
    this.#own.set(journal.id, ids);
    this.#file.write(journal.id, all.length > 0 ? all : undefined);
  }
}

/** The length of a message's attachments and images, in UTF-16 units. */
const contentLength = ({ attachments = [], images = [] }: UserMessage): number =>
  [...attachments.map(({ text }) => text), ...images.map(({ base64 }) => base64)].reduce(
    (sum, { length }) => sum + length,
    0,
  );

/** Key in VS Code's state under which preview versions stored queues: pairs of a session and its messages as JSON. */
const PREVIEW_KEY = 'threadkeeper.queued';
const previewSchema = v.fallback(v.array(v.tuple([sessionIdSchema, v.string()])), []);
/** The first preview only stored texts. */
const previewTexts = v.pipe(
  v.array(v.string()),
  v.transform((texts): StoredMessage[] => texts.map((text) => ({ text }))),
);
const previewQueue = v.fallback(v.pipe(v.string(), v.parseJson(), v.union([schema, previewTexts])), []);

/** Moves queues that a preview version stored in VS Code's state to files. Those that can't be written stay there. */
export async function moveStoredQueues(state: MementoLike, deps: SessionFileDeps): Promise<void> {
  const stored = v.parse(previewSchema, state.get(PREVIEW_KEY));
  if (stored.length === 0) return;
  const file = new SessionFile(deps, 'queue', schema);
  const unmoved = stored.filter(([session, json]) => {
    const moved = file.read(session) ?? [];
    // The window may have been closed before the state was updated.
    const messages = v.parse(previewQueue, json).filter(({ text }) => !moved.some((one) => one.text === text));
    return messages.length > 0 && !file.write(session, [...messages, ...moved]);
  });
  await state.update(PREVIEW_KEY, unmoved.length === 0 ? undefined : unmoved);
}
