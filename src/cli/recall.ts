import { isLocalReply } from '../core/model/message.ts';
import { bestExcerpt } from '../core/search/excerpt.ts';
import { TOOL_WEIGHT } from '../core/search/block-search.ts';
import { TextIndex } from '../core/search/text-index.ts';
import { readTranscriptFile } from './transcript-file.ts';
import { requiredOption, integerOption, type Command } from './command.ts';

export const DEFAULT_HITS = 10;

/** Length of an excerpt in UTF-16 units: a paragraph or two. */
export const EXCERPT_UNITS = 600;

export const command: Command = {
  help: `Usage: threadkeeper recall FILE --query Q [--limit N] [--json]

Searches the messages of a transcript (ranked full-text search, best results first).

  --query Q   text to search for
  --limit N   maximum number of results; default ${DEFAULT_HITS}
  --json      {"hits":[{"message","start","end","text","score"}]}
              "message" is an index, "start" and "end" are UTF-16 offsets into its text
`,
  options: { query: { type: 'string' }, limit: { type: 'string' } },
  async run({ file, options, output }) {
    const query = requiredOption(options, 'query');
    const limit = integerOption(options, 'limit', 1) ?? DEFAULT_HITS;
    const transcript = await readTranscriptFile(file, output);
    const index = new TextIndex();
    for (const [at, message] of transcript.entries()) {
      if (isLocalReply(message)) continue;
      const { role, text } = message;
      index.add(String(at), text, { weight: role === 'tool' ? TOOL_WEIGHT : 1, discountsCode: true });
    }
    const hits = index.search(query, { limit }).map(({ id, score }) => {
      const message = Number(id);
      const { text } = transcript[message]!;
      const { start, end } = bestExcerpt(text, query, EXCERPT_UNITS);
      return { message, start, end, text: text.slice(start, end), score };
    });
    const results = hits.map(({ message, text }) => `[${message}] ${transcript[message]!.role}\n${text}\n`);
    return { json: { hits }, text: results.length === 0 ? 'No results.\n' : results.join('\n') };
  },
};
