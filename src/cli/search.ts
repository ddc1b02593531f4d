import { searchableBlock } from '../app/library/chat-index.ts';
import { readSession, type LibraryEntry } from '../app/library/read-session.ts';
import { readFailureReason, type UnreadablePath } from '../app/library/source.ts';
import { Redactor } from '../core/redact/redact.ts';
import { bestExcerpt } from '../core/search/excerpt.ts';
import { searchBlocks, type BlockHit, type SearchedBlock } from '../core/search/block-search.ts';
import type { TranscriptMessage } from '../core/transcript/transcript-message.ts';
import { withSources } from '../sources/all-sources.ts';
import { damagedFile } from '../sources/read-files.ts';
import { DEFAULT_HITS, EXCERPT_UNITS } from './recall.ts';
import { homeOf, readChats, refusedOutput, type Chat } from './read-chats.ts';
import { requiredOption, integerOption, type Command } from './command.ts';

export const command: Command = {
  help: `Usage: threadkeeper search --query Q [--home DIR] [--limit N] [--json]

Searches the chats of all supported tools on this machine, best results first. To list
the chats, run threadkeeper sources.

  --query Q    text to search for
  --home DIR   home folder to search; default is your home folder
  --limit N    maximum number of results; default ${DEFAULT_HITS}
  --json       {"hits":[{"session","tool","workspace","title","path","message","role","at",
               "start","end","text","score"}],"refused":[{"path","tool","reason"}]}
               "message" is an index, "start" and "end" are UTF-16 offsets into its text,
               in which recognized secrets are masked
`,
  options: { query: { type: 'string' }, home: { type: 'string' }, limit: { type: 'string' } },
  isWithoutFile: true,
  async run({ options, env }) {
    const query = requiredOption(options, 'query');
    const limit = integerOption(options, 'limit', 1) ?? DEFAULT_HITS;
    const refused: UnreadablePath[] = [];
    const hits = await withSources(homeOf(options, env), async (sources) => {
      const blocks: SearchedBlock[] = [];
      const chats: Omit<Chat, 'session'>[] = [];
      for await (const { session, ...chat } of readChats(sources, refused)) {
        blocks.push({ block: searchableBlock(session.messages), valid: session.messages.length });
        chats.push(chat);
      }
      // Read the results' chats again, because keeping the texts of all chats would take too much memory.
      const ranked = searchBlocks(blocks, query, { limit }).map((hit, rank) => ({ ...hit, rank }));
      const found: ReturnType<typeof hitOf>[] = [];
      for (const block of new Set(ranked.map((hit) => hit.block))) {
        const { entry, source, file } = chats[block]!;
        try {
          const { messages } = await readSession(source, file);
          let isShorter = false;
          for (const hit of ranked.filter((one) => one.block === block)) {
            const message = messages[hit.message];
            if (message) found[hit.rank] = hitOf(entry, message, hit, query);
            else isShorter = true;
          }
          if (isShorter) throw damagedFile();
        } catch (error) {
          // The tool has rewritten or deleted the chat meanwhile.
          const { path, tool } = file;
          if (!refused.some((one) => one.path === path)) refused.push({ path, tool, reason: readFailureReason(error) });
        }
      }
      return Object.values(found);
    });
    const results = hits.map(
      ({ tool, title, message, role, text }) => `${tool}: ${title} [${message}] ${role}\n${text}\n`,
    );
    const sources = options['home'] === undefined ? 'sources' : 'sources with the same --home';
    const skipped = `Skipped files: ${refused.length}. To list them with the reasons, run threadkeeper ${sources}.`;
    return {
      json: { hits, refused: refused.map(refusedOutput) },
      text: results.length === 0 ? 'No results.\n' : results.join('\n'),
      notes: refused.length === 0 ? [] : [skipped],
    };
  },
};

function hitOf(
  entry: LibraryEntry,
  { role, at, text }: TranscriptMessage,
  { message, score }: Pick<BlockHit, 'message' | 'score'>,
  query: string,
) {
  // Redact the whole text, because an excerpt may cut off the part by which a secret is recognized.
  const whole = new Redactor().redact(text);
  const { start, end } = bestExcerpt(whole, query, EXCERPT_UNITS);
  const { id: session, tool, workspace = null, title, path } = entry;
  return { session, tool, workspace, title, path, message, role, at, start, end, text: whole.slice(start, end), score };
}
