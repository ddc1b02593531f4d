import { summarizeHierarchical } from '../app/public-api.ts';
import { PRESETS } from '../core/prompts/render-prompts.ts';
import { loadEncoding } from '../core/tokens/token-counter.ts';
import { modelFromOptions, MODEL_HELP, MODEL_OPTIONS } from './model-options.ts';
import { extractionReason } from './output.ts';
import { readTranscriptFile, sourceMessages } from './transcript-file.ts';
import { choiceOption, type Command } from './command.ts';

const LEVELS = ['brief', 'detailed', 'full'] as const;

export const command: Command = {
  help: `Usage: threadkeeper levels FILE [--preset X] [--provider P] [--model M] [--base-url U]
         [--json]

Summarizes a transcript at three levels of detail: brief uses at most 10% of the
transcript's tokens, detailed 30%, and full 70%. Full is always extracted without a model;
for transcripts of up to 5,000 tokens, it's the transcript itself. For up to 200 tokens, so
are brief and detailed.

  --preset X          ${PRESETS.join(', ')}; default developer
${MODEL_HELP}
  --json              {"brief","detailed","full","tokens":{"source","brief","detailed","full"}}
`,
  options: { ...MODEL_OPTIONS, preset: { type: 'string' } },
  async run(invocation) {
    const { file, options, output } = invocation;
    const preset = choiceOption(options, 'preset', PRESETS) ?? 'developer';
    const transcript = await readTranscriptFile(file, output);
    const selected = await modelFromOptions(invocation);
    const counter = await loadEncoding(selected.encoding);
    const { brief, detailed, full, tokens, ...extraction } = await summarizeHierarchical(sourceMessages(transcript), {
      counter,
      preset,
      model: selected.chat,
    });
    if (extraction.isExtracted)
      await output.note(`threadkeeper: ${extractionReason(extraction)}. The levels were extracted without a model.`);
    const texts = { brief, detailed, full };
    const sections = LEVELS.map(
      (level) => `--- ${level}, ${tokens[level]} of ${tokens.source} tokens\n${texts[level].trimEnd()}\n\n`,
    );
    return { json: { ...texts, tokens }, text: sections.join('') };
  },
};
