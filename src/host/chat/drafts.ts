import * as v from 'valibot';
import { sessionIdSchema } from '../../core/model/field-schemas.ts';
import type { MessageId, SessionId } from '../../core/model/ids.ts';
import type { MementoLike } from '../../storage/stored-snapshots.ts';
import { SessionFile, type SessionFileDeps } from './session-file.ts';

const schema = v.object({ text: v.string(), edits: v.record(v.string(), v.string()) });
type Draft = v.InferOutput<typeof schema>;

/** Unsent texts per session, which survive a reload. Read again for each change, because windows share them. */
export class Drafts {
  readonly #file: SessionFile<Draft>;
  /** The latest texts in this window's composer, which texts from other windows don't replace. */
  readonly #texts = new Map<SessionId, string>();
  /** Drafts that couldn't be written. */
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

  /** Returns false if the text couldn't be stored. */
  set(session: SessionId, text: string): boolean {
    this.#texts.set(session, text);
    return this.#store(session, { ...this.#draft(session), text });
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

  /** Writes the drafts that couldn't be written before, for example because the disk was full. */
  retry(): void {
    for (const [session, draft] of this.#unsaved) this.#store(session, draft);
  }

  #draft(session: SessionId): Draft {
    return this.#unsaved.get(session) ?? this.#file.read(session) ?? { text: '', edits: {} };
  }

  #store(session: SessionId, draft: Draft): boolean {
    const isEmpty = draft.text === '' && Object.keys(draft.edits).length === 0;
    const isStored = this.#file.write(session, isEmpty ? undefined : draft);
    if (isStored) this.#unsaved.delete(session);
    else this.#unsaved.set(session, draft);
    return isStored;
  }
}

/** Key in VS Code's state under which preview versions stored the composers' texts. */
const PREVIEW_KEY = 'threadkeeper.drafts';
const previewSchema = v.fallback(v.array(v.tuple([sessionIdSchema, v.string()])), []);

/** Moves texts that a preview version stored in VS Code's state to files. Texts that can't be written stay there. */
export async function moveStoredDrafts(state: MementoLike, drafts: Drafts): Promise<void> {
  const stored = v.parse(previewSchema, state.get(PREVIEW_KEY));
  if (stored.length === 0) return;
  const unmoved = stored.filter(([session, text]) => drafts.get(session) === '' && !drafts.set(session, text));
  await state.update(PREVIEW_KEY, unmoved.length === 0 ? undefined : unmoved);
}
