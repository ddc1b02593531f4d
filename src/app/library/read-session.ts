import * as v from 'valibot';
import { countSchema, type ReadonlyOutput } from '../../core/model/field-schemas.ts';
import { Redactor } from '../../core/redact/redact.ts';
import { withoutAgentElements } from '../../core/text/agent-elements.ts';
import { addSkipped, lostContent, type Skipped } from '../../core/transcript/skipped-content.ts';
import {
  BeforeResumeError,
  TranscriptSink,
  type PlacedCompaction,
  type SessionFacts,
  type TranscriptMessage,
} from '../../core/transcript/transcript-message.ts';
import { sessionTitleFrom } from '../session-title.ts';
import { TOOLS, type ReadEnd, type Resume, type Source, type SourceFile } from './source.ts';

/** The result of reading a session. If reading was resumed, it has only the messages after the previous end. */
export interface ReadSession {
  readonly facts: SessionFacts;
  readonly messages: readonly TranscriptMessage[];
  readonly compactions: readonly PlacedCompaction[];
  /** Everything that was skipped, including reasoning and the tool's own records. */
  readonly skipped: readonly Skipped[];
  /** The parts of the conversation that couldn't be read, including those before the previous end. */
  readonly lost: readonly Skipped[];
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
  const sink = new TranscriptSink(file.facts);
  let end: ReadEnd;
  try {
    end = await source.read(file, sink, from);
  } catch (error) {
    if (error instanceof BeforeResumeError) return readSession(source, file);
    throw error;
  }
  const { messages, compactions, undone } = sink.take();
  if (messages.length === 0 && undone === 0 && !end.resumed) throw sink.emptyError();
  const lostBefore = (end.resumed ? from?.lost : undefined) ?? [];
  const lost = addSkipped([...lostBefore, ...lostContent(sink.skipped)]);
  return { facts: sink.facts, messages, compactions, skipped: sink.skipped, lost, end };
}

/** The list entry of a session. If reading was resumed, facts in `known` are kept. */
export function libraryEntryOf(file: SourceFile, session: ReadSession, known?: LibraryEntry): LibraryEntry {
  const { messages, compactions, end } = session;
  const before = end.resumed ? known : undefined;
  const facts = { ...before, ...session.facts };
  const latestAt = messages.findLast(({ at }) => at !== undefined)?.at ?? 0;
  return {
    id: facts.id ?? file.key ?? file.path,
    tool: file.tool,
    path: file.path,
    // If the user has undone all turns, no message is left, so the known title stays.
    title: sessionTitleFrom(
      new Redactor().redact(facts.title?.trim() || (firstRequest(messages) ?? known?.title ?? '')),
    ),
    workspace: facts.workspace,
    parent: facts.parent,
    messages: messages.length,
    compactions: compactions.length,
    // Tools also append records that aren't messages.
    updatedAt: messages.length === 0 && before ? before.updatedAt : Math.max(0, latestAt) || file.modifiedAt,
  };
}

/** The user's first request, without elements that their tool added; otherwise, the first message. */
function firstRequest(messages: readonly TranscriptMessage[]): string | undefined {
  for (const { role, text } of messages) {
    const said = role === 'user' ? withoutAgentElements(text) : '';
    if (said.trim() !== '') return said;
  }
  return messages[0]?.text;
}
