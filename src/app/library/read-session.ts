import * as v from 'valibot';
import { countSchema, type ReadonlyOutput } from '../../core/model/field-schemas.ts';
import { inEnglish, phrase } from '../../core/text/phrase.ts';
import {
  truncateMessage,
  TranscriptError,
  type Compaction,
  type SessionFacts,
  type Skipped,
  type TranscriptMessage,
} from '../../core/transcript/transcript-message.ts';
import { sessionTitleFrom } from '../session-title.ts';
import { TOOLS, type ReadEnd, type Resume, type Source, type SourceFile } from './source.ts';

/** A compaction before the message with this index. */
export interface PlacedCompaction extends Compaction {
  readonly before: number;
}

/** The result of reading a session. If reading was resumed at a position, only what follows the position. */
export interface ReadSession {
  readonly facts: SessionFacts;
  readonly messages: readonly TranscriptMessage[];
  readonly compactions: readonly PlacedCompaction[];
  readonly skipped: readonly Skipped[];
  readonly end: ReadEnd;
}

/** A session of another tool, as shown in lists. */
export const entrySchema = v.object({
  id: v.string(),
  tool: v.picklist(TOOLS),
  path: v.string(),
  title: v.string(),
  workspace: v.optional(v.string()),
  parent: v.optional(v.string()),
  messages: countSchema,
  compactions: countSchema,
  /** Milliseconds since the epoch. */
  updatedAt: v.number(),
});
export type LibraryEntry = ReadonlyOutput<typeof entrySchema>;

/** Reads a session. Throws `TranscriptError` if the format is unknown or there are no messages. */
export async function readSession(source: Source, file: SourceFile, from?: Resume): Promise<ReadSession> {
  let facts = withoutUndefined(file.facts);
  const messages: TranscriptMessage[] = [];
  const compactions: PlacedCompaction[] = [];
  const skips = new Map<string, Skipped>();
  const skip = (reason: Skipped['reason']): void => {
    const name = inEnglish(reason);
    skips.set(name, { reason, count: (skips.get(name)?.count ?? 0) + 1 });
  };
  const end = await source.read(
    file,
    {
      add: (message) => messages.push(truncateMessage(message, skip)),
      skip,
      about: (newFacts) => (facts = { ...facts, ...withoutUndefined(newFacts) }),
      compacted: (compaction) => compactions.push({ ...compaction, before: messages.length }),
    },
    from,
  );
  const skipped = [...skips.values()];
  if (messages.length === 0 && !end.resumed) throw emptySessionError(skipped);
  return { facts, messages, compactions, skipped, end };
}

/** Removes undefined facts, so that they don't overwrite known ones. */
const withoutUndefined = (facts: SessionFacts): SessionFacts =>
  Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));

function emptySessionError(skipped: readonly Skipped[]): TranscriptError {
  const [first, ...rest] = skipped.map(({ reason, count }) => phrase('{0} × {1}', count, reason));
  if (!first) return new TranscriptError(phrase('The file contains no messages.'));
  const all = rest.reduce((before, reason) => phrase('{0}, {1}', before, reason), first);
  return new TranscriptError(phrase('The file contains no readable messages. Skipped: {0}.', all));
}

/** The list entry of a session. If reading was resumed, facts in `known` are kept. `mask` redacts secrets in the title. */
export function entryOf(
  file: SourceFile,
  session: ReadSession,
  known?: LibraryEntry,
  mask = (text: string): string => text,
): LibraryEntry {
  const { messages, compactions, end } = session;
  const before = end.resumed ? known : undefined;
  const facts = { ...before, ...session.facts };
  const latestAt = messages.findLast(({ at }) => at !== undefined)?.at ?? 0;
  const firstMessage = messages.find(({ role }) => role === 'user') ?? messages[0];
  return {
    id: facts.id ?? file.key ?? file.path,
    tool: file.tool,
    path: file.path,
    title: sessionTitleFrom(mask(facts.title?.trim() ? facts.title : (firstMessage?.text ?? ''))),
    workspace: facts.workspace,
    parent: facts.parent,
    messages: messages.length,
    compactions: compactions.length,
    // Tools also append records that aren't messages.
    updatedAt: messages.length === 0 && before ? before.updatedAt : Math.max(0, latestAt) || file.modifiedAt,
  };
}
