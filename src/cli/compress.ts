import { compressPreserveEvents } from '../core/compress/compress-preserve-events.ts';
import type { TranscriptNode } from '../core/compress/compress-transcript.ts';
import type { SentMessage } from '../core/compress/sent-messages.ts';
import { CallLog } from '../core/compress/summary-model.ts';
import type { ContextMessage } from '../core/context/assemble.ts';
import { nodeId } from '../core/model/ids.ts';
import type { Usage } from '../core/model/message.ts';
import type { SummaryNode } from '../core/model/summary.ts';
import { resolvePolicy, STRATEGIES, type Strategy } from '../core/policy/policy.ts';
import { encodingFor, priceOf } from '../core/tokens/models.ts';
import { loadEncoding, type TokenCounter } from '../core/tokens/token-counter.ts';
import type { TranscriptMessage } from '../core/transcript/transcript-message.ts';
import { chosenModel, MODEL_HELP, MODEL_OPTIONS, type ChosenModel } from './chosen-model.ts';
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
  --turn-by-turn      feed the file as a session would have grown, compressing whenever the
                      balanced policy says
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
    'turn-by-turn': { type: 'boolean' },
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
    const started = performance.now();
    const done =
      options['turn-by-turn'] === true
        ? await compressGrown(transcript, { targetTokens, strategy, keepRecent, counter, chosen })
        : await compressAtOnce(transcript, { targetTokens, strategy, keepRecent, counter, chosen });
    const result = { ...done, ms: Math.round(performance.now() - started) };
    if (json) await output.json(result);
    else await output.write(forPeople(result));
    return 0;
  },
};

interface CompressOptions {
  readonly targetTokens: number;
  readonly strategy: Strategy;
  readonly keepRecent: number | undefined;
  readonly counter: TokenCounter;
  readonly chosen: ChosenModel;
}

interface Compressed {
  readonly messages: readonly SentMessage[];
  readonly events: readonly ShownEvent[];
  readonly nodes: readonly ShownNode[];
  readonly tokens: { readonly before: number; readonly after: number; readonly target: number };
  readonly calls: {
    readonly count: number;
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly costUsd: number | null;
  };
}

async function compressAtOnce(
  transcript: readonly TranscriptMessage[],
  { targetTokens, strategy, keepRecent, counter, chosen }: CompressOptions,
): Promise<Compressed> {
  const calls = new CallLog();
  let made = 0;
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
  const { count, inputTokens, outputTokens } = calls;
  return {
    messages: compressed.messages,
    events: compressed.events.map(shownEvent),
    nodes: compressed.nodes.map(shownNode),
    tokens: compressed.tokens,
    calls: { count, inputTokens, outputTokens, costUsd: chosen.costUsd() },
  };
}

/** The file as a session would have grown from it. Throws `UsageError` when its last turn does not fit the target. */
async function compressGrown(
  transcript: readonly TranscriptMessage[],
  { targetTokens, strategy, keepRecent, counter, chosen }: CompressOptions,
): Promise<Compressed> {
  const { GrownSession } = await import('./grown-session.ts');
  const window = keepRecent === undefined ? {} : { window: Math.max(1, keepRecent) };
  const policy = resolvePolicy('balanced', { strategy, ...window });
  const price = (_model: string, usage: Usage): number | null => (chosen.info && priceOf(usage, chosen.info)) ?? null;
  const session = new GrownSession({ policy, budget: targetTokens, counter, model: chosen.chat, price });
  let before = 0;
  for (const message of sourceMessages(transcript)) {
    before += counter.message(message);
    await session.take(message);
  }
  await session.end();
  const { state } = session;
  const context = session.context();
  if (context.total > targetTokens) {
    throw new UsageError(`The session needs ${context.total} tokens at its end; the target is ${targetTokens}.`);
  }
  const leftOut = new Set(context.leftOut.map(({ id }) => id));
  const system = context.system.join('\n');
  const messages: SentMessage[] = [
    ...(system === '' ? [] : [{ role: 'system', content: system } as const]),
    ...context.messages.map(asSent),
  ];
  const after = messages.reduce((sum, { role, content }) => {
    return (
      sum +
      counter.message({ role, content: typeof content === 'string' ? [{ type: 'text', text: content }] : content })
    );
  }, 0);
  return {
    messages,
    events: Array.from(state.events.values(), (event) =>
      shownEvent(leftOut.has(event.id) ? { ...event, status: 'dropped' } : event),
    ),
    nodes: state.frontier.map(shownNode),
    tokens: { before, after, target: targetTokens },
    calls: { ...session.calls, costUsd: chosen.costUsd() },
  };
}

function asSent({ role, content }: ContextMessage): SentMessage {
  const only = content.length === 1 ? content[0] : undefined;
  return { role, content: only?.type === 'text' ? only.text : content };
}

interface ShownNode extends Pick<SummaryNode, 'id' | 'depth' | 'rung' | 'brief' | 'detailed'> {
  readonly from: number;
  readonly to: number;
  readonly tokens: number;
}

function shownNode({ node, from, to }: TranscriptNode): ShownNode {
  const { id, depth, tokens, rung, brief, detailed } = node;
  return { id, depth, from, to, tokens: tokens.source, rung, brief, detailed };
}

function forPeople({ messages, tokens, nodes, events }: Compressed): string {
  const sent = messages.map(({ role, content }) => {
    return `--- ${role}\n${typeof content === 'string' ? content : JSON.stringify(content)}\n`;
  });
  const active = events.filter(({ status }) => status === 'active').length;
  const saved = tokens.before === 0 ? 0 : Math.round((1 - tokens.after / tokens.before) * 1000) / 10;
  return [
    ...sent,
    `--- ${tokens.before} tokens before, ${tokens.after} after (${saved} % saved), target ${tokens.target}`,
    `--- summary nodes: ${nodes.length}, key events active: ${active} of ${events.length}\n`,
  ].join('\n');
}
