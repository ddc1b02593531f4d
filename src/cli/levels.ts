import { summarizeHierarchical } from '../core/compress/summarize-hierarchical.ts';
import { nodeId } from '../core/model/ids.ts';
import { encodingFor } from '../core/tokens/models.ts';
import { loadEncoding } from '../core/tokens/token-counter.ts';
import { chosenModel, MODEL_HELP, MODEL_OPTIONS } from './chosen-model.ts';
import { sourceMessages } from './source-messages.ts';
import { readTranscriptFile } from './transcript-file.ts';
import type { Verb } from './verb.ts';

export const verb: Verb = {
  help: `Usage: threadkeeper levels FILE [--provider P] [--model M] [--base-url U] [--json]

Summarizes a transcript at three levels of detail: brief at most 10 %, detailed at most
30 %, full at most 70 % of its tokens. A short transcript comes back as it is.

${MODEL_HELP}
  --json              {"brief","detailed","full","tokens":{"source","brief","detailed","full"}}
`,
  options: MODEL_OPTIONS,
  async run(invocation) {
    const { file, json, output } = invocation;
    const { transcript } = await readTranscriptFile(file);
    const chosen = await chosenModel(invocation);
    const counter = await loadEncoding(chosen.info ? encodingFor(chosen.info.id) : 'o200k_base');
    let made = 0;
    const { brief, detailed, full, tokens } = await summarizeHierarchical(sourceMessages(transcript), {
      counter,
      nextId: () => nodeId(`n${++made}`),
      now: Date.now,
      ...(chosen.model && { model: chosen.model }),
    });
    if (json) {
      await output.json({ brief, detailed, full, tokens });
      return 0;
    }
    for (const level of ['brief', 'detailed', 'full'] as const) {
      const text = { brief, detailed, full }[level];
      await output.write(`--- ${level}, ${tokens[level]} of ${tokens.source} tokens\n${text.trimEnd()}\n\n`);
    }
    return 0;
  },
};
