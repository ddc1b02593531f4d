import * as v from 'valibot';
import { sessionIdSchema } from '../../core/model/field-schemas.ts';
import type { MessageId, SessionId } from '../../core/model/ids.ts';
import type { MementoLike } from '../../storage/stored-snapshots.ts';
import { SessionFile, type SessionFileDeps } from './session-file.ts';

const schema = v.object({ text: v.string(), edits: v.record(v.string(), v.string()) });
type Draft = v.InferOutput<typeof schema>;

/**
 * Unsent texts per session: in the composer, and in the editors of messages. They survive a reload. They are read again
 * for each change, because another window may have the session open, too.
 */
export class Drafts {
  readonly #file: SessionFile<Draft>;
  /** The last texts in this window's composer. Those in another window's don't replace them. */
  readonly #texts = new Map<SessionId, string>();
  /** Those that couldn't be written. */
  readonly #unsaved = new Map<SessionId, Draft>();

  constructor(deps: SessionFileDeps) {
    this.#file = new SessionFile(deps, 'draft', schema);
  }

  get(session: SessionId): string {
    return this.#texts.get(session) ?? this.#draft(session).text;
  }

  /** The texts in the editors of messages, by message. */
  editsOf(session: SessionId): Readonly<Record<string, string>> {
    return this.#draft(session).edits;
  }

  set(session: SessionId, text: string): void {
    this.#texts.set(session, text);
    this.#store(session, { ...this.#draft(session), text });
  }

  /** Null: the editor is closed. */
  setEdit(session: SessionId, message: MessageId, text: string | null): void {
    const { [message]: _, ...others } = this.#draft(session).edits;
    const edits = text === null ? others : { ...others, [message]: text };
    this.#store(session, { ...this.#draft(session), edits });
  }

  delete(session: SessionId): void {
    this.#texts.delete(session);
    this.#unsaved.delete(session);
    this.#file.write(session, undefined);
  }

  #draft(session: SessionId): Draft {
    return this.#unsaved.get(session) ?? this.#file.read(session) ?? { text: '', edits: {} };
  }

  #store(session: SessionId, draft: Draft): void {
    const isEmpty = draft.text === '' && Object.keys(draft.edits).length === 0;
    if (this.#file.write(session, isEmpty ? undefined : draft)) this.#unsaved.delete(session);
    else this.#unsaved.set(session, draft);
  }
}

/** Where previews stored the composers' texts. */
const PREVIEW_KEY = 'threadkeeper.drafts';
const previewSchema = v.fallback(v.array(v.tuple([sessionIdSchema, v.string()])), []);

/** Moves texts that a preview stored in VS Code's state to files. */
export async function moveStoredDrafts(state: MementoLike, drafts: Drafts): Promise<void> {
  const stored = v.parse(previewSchema, state.get(PREVIEW_KEY));
  if (stored.length === 0) return;
  for (const [session, text] of stored) if (drafts.get(session) === '') drafts.set(session, text);
  await state.update(PREVIEW_KEY, undefined);
}
