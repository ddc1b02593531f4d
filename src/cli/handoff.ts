import { createHandoff } from '../app/handoff.ts';
import { HANDOFF_TARGETS } from '../app/render-briefing.ts';
import { loadEncoding } from '../core/tokens/token-counter.ts';
import { contentOf } from '../core/transcript/transcript-message.ts';
import { modelFromOptions, MODEL_HELP, MODEL_OPTIONS } from './model-options.ts';
import { extractionReason } from './output.ts';
import { readTranscriptFile } from './transcript-file.ts';
import { UsageError, choiceOption, integerOption, requiredOption, type Command } from './command.ts';

/** Enough for the important content of a long session, but a small part of any context window. */
const DEFAULT_MAX_TOKENS = 4_000;

export const command: Command = {
  help: `Usage: threadkeeper handoff FILE --for TOOL [--max-tokens N] [--provider P]
         [--model M] [--base-url U] [--json]

Prints a briefing with which another tool continues a session: task, newest messages, open
steps, decisions and other key events as quotes, and a summary of the conversation.
Recognized secrets are masked.

  --for TOOL          ${HANDOFF_TARGETS.join(', ')}
                      claude and codex: Markdown to paste, or to keep in CLAUDE.local.md or
                      AGENTS.md; copilot: an instructions file; text: plain text
  --max-tokens N      maximum tokens of the briefing; default ${DEFAULT_MAX_TOKENS.toLocaleString('en')}
${MODEL_HELP}
  --json              {"text","tokens","maxTokens","for","messages",
                      "calls":{"count","inputTokens","outputTokens","costUsd"}}
                      "costUsd" is null if the model's price is unknown
`,
  options: { ...MODEL_OPTIONS, for: { type: 'string' }, 'max-tokens': { type: 'string' } },
  async run(invocation) {
    const { file, options, output, paid } = invocation;
    requiredOption(options, 'for');
    const target = choiceOption(options, 'for', HANDOFF_TARGETS)!;
    const maxTokens = integerOption(options, 'max-tokens', 1) ?? DEFAULT_MAX_TOKENS;
    const transcript = await readTranscriptFile(file, output);
    const selected = await modelFromOptions(invocation);
    const counter = await loadEncoding(selected.encoding);
    const messages = transcript.map((one) => ({
      role: one.role,
      content: contentOf(one),
      at: one.at,
      model: one.model,
    }));
    const handoff = await createHandoff(messages, { target, maxTokens, counter, model: selected.chat });
    const { text, tokens, calls } = handoff;
    if (handoff.messages === 0) throw new UsageError('The transcript has no message that says anything.');
    if (text === '')
      throw new UsageError(`No part of the transcript fits in ${maxTokens} tokens. Increase --max-tokens.`);
    if (handoff.isExtracted)
      await output.note(`threadkeeper: ${extractionReason(handoff)}. The summary was extracted without a model.`);
    const { costUsd } = paid;
    return {
      json: { text, tokens, maxTokens, for: target, messages: messages.length, calls: { ...calls, costUsd } },
      text,
    };
  },
};
