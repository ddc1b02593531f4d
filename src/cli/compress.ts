import { compressPreserveEvents } from '../core/compress/compress-preserve-events.ts';
import type { CompressedTranscript, TranscriptNode } from '../core/compress/compress-transcript.ts';
import { CallLog } from '../core/compress/summary-model.ts';
import { nodeId } from '../core/model/ids.ts';
import { STRATEGIES } from '../core/policy/policy.ts';
import { encodingFor } from '../core/tokens/models.ts';
import { loadEncoding } from '../core/tokens/token-counter.ts';
import { chosenModel, MODEL_HELP, MODEL_OPTIONS } from './chosen-model.ts';
import { shownEvent, type ShownEvent } from './shown-event.ts';
import { sourceMessages } from './source-messages.ts';
import { readTranscriptFile } from './transcript-file.ts';
import { choiceOption, UsageError, wholeOption, type Verb } from './verb.ts';

export const verb: Verb = {
  help: `Usage: threadkeeper compress FILE --target-tokens N [options]

Brings a transcript under N tokens: key events word for word, the newest messages word
for word, summaries for the rest. N binds all of it; where the window asked for does not
fit, it shrinks, the newest user message last.

  --target-tokens N   tokens of all that would be sent, framing included
  --strategy S        ${STRATEGIES.join(', ')}; default smart
  --keep-recent K     newest messages to keep word for word; default 10 as far as they fit
${MODEL_HELP}
  --json              {"messages":[{"role","content"}],"events":[…],
                      "nodes":[{"id","depth","from","to","tokens","rung","brief","detailed"}],
                      "tokens":{"before","after","target"},
                      "calls":{"count","inputTokens","outputTokens","costUsd"},"ms"}
                      "messages" is exactly what would be sent; a node's "tokens" are those
                      of the messages "from" to "to" that it stands for
`,
  options: {
    ...MODEL_OPTIONS,
    'target-tokens': { type: 'string' },
    strategy: { type: 'string' },
    'keep-recent': { type: 'string' },
  },
  async run(invocation) {
    const { file, options, json, output } = invocation;
    const targetTokens = wholeOption(options, 'target-tokens', 1);
    if (targetTokens === undefined) throw new UsageError('--target-tokens is missing.');
    const strategy = choiceOption(options, 'strategy', STRATEGIES) ?? 'smart';
    const keepRecent = wholeOption(options, 'keep-recent', 0);
    const chosen = await chosenModel(invocation);
    const { transcript } = await readTranscriptFile(file);
    const counter = await loadEncoding(chosen.info ? encodingFor(chosen.info.id) : 'o200k_base');
    const calls = new CallLog();
    let made = 0;
    const started = performance.now();
    const compressed = await compressPreserveEvents(
      sourceMessages(transcript),
      targetTokens,
      {
        counter,
        calls,
        nextId: () => nodeId(`n${++made}`),
        now: Date.now,
        ...(chosen.model && { model: chosen.model }),
      },
      { strategy, ...(keepRecent !== undefined && { keepRecent }) },
    );
    const result = {
      messages: compressed.messages,
      events: compressed.events.map(shownEvent),
      nodes: compressed.nodes.map(shownNode),
      tokens: compressed.tokens,
      calls: {
        count: calls.count,
        inputTokens: calls.inputTokens,
        outputTokens: calls.outputTokens,
        costUsd: chosen.costUsd(),
      },
      ms: Math.round(performance.now() - started),
    };
    if (json) await output.json(result);
    else await output.write(forPeople(compressed, result.events));
    return 0;
  },
};

function shownNode({ node, from, to }: TranscriptNode): Readonly<Record<string, string | number>> {
  const { id, depth, tokens, rung, brief, detailed } = node;
  return { id, depth, from, to, tokens: tokens.source, rung, brief, detailed };
}

function forPeople({ messages, tokens, nodes }: CompressedTranscript, events: readonly ShownEvent[]): string {
  const sent = messages.map(({ role, content }) => {
    return `--- ${role}\n${typeof content === 'string' ? content : JSON.stringify(content)}\n`;
  });
  const active = events.filter(({ status }) => status === 'active').length;
  const saved = tokens.before === 0 ? 0 : Math.round((1 - tokens.after / tokens.before) * 1000) / 10;
  return [
    ...sent,
    `--- ${tokens.before} tokens before, ${tokens.after} after (${saved} % saved), target ${tokens.target}`,
    `--- ${nodes.length} summary nodes, ${active} of ${events.length} key events active\n`,
  ].join('\n');
}
