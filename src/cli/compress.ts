import { requestWithSummaries, type CompressedMessages, type Extraction } from '../app/compressed-messages.ts';
import { compressPreserveEvents } from '../app/public-api.ts';
import { InMemorySession, type CompressionAttempt } from '../app/in-memory-session.ts';
import { ModelFault } from '../app/fault.ts';
import { COST_TIERS, type CostTier } from '../core/model/summary.ts';
import { POLICY_NAMES, resolvePolicy, STRATEGIES, type PolicyName, type Strategy } from '../core/policy/policy.ts';
import { PRESETS, type PresetName } from '../core/prompts/render-prompts.ts';
import { sentencesOf } from '../core/text/sentences.ts';
import { loadEncoding, type TokenCounter } from '../core/tokens/token-counter.ts';
import type { TranscriptMessage } from '../core/transcript/transcript-message.ts';
import { modelFromOptions, MODEL_HELP, MODEL_OPTIONS, type ModelFromOptions } from './model-options.ts';
import { eventOutput } from './events.ts';
import { readTranscriptFile, sourceMessages } from './transcript-file.ts';
import { UsageError, choiceOption, integerOption, type Command } from './command.ts';
import { errorLine, extractionReason } from './output.ts';

/** Faults after which further requests are pointless: the server, key, or model doesn't work, or all retries have failed. */
const LASTING_FAULTS = [
  ...(['certificate', 'proxy_authentication'] as const),
  ...(['no_key', 'refused_key', 'forbidden', 'model_not_found', 'quota', 'unaffordable'] as const),
  ...(['rate_limited', 'overloaded', 'network', 'timeout', 'cut_stream'] as const),
];

/** Context window in tokens without `--target-tokens` and without a model. */
const DEFAULT_CONTEXT_WINDOW = 128_000;

export const command: Command = {
  help: `Usage: threadkeeper compress FILE [--target-tokens N] [--policy P] [--strategy S]
         [--preset X] [--keep-recent K] [--turn-by-turn] [--provider P] [--model M]
         [--base-url U] [--effort E] [--json]

Compresses a transcript the way the extension does: keeps key events and recent messages
verbatim as far as they fit, and summarizes the rest.

  --target-tokens N   limit for all tokens sent, including framing (not with --strategy
                      off); if omitted, the policy decides
  --policy P          ${POLICY_NAMES.join(', ')}; default balanced
  --strategy S        ${STRATEGIES.join(', ')}; default smart
  --preset X          ${PRESETS.join(', ')}; default developer
  --keep-recent K     recent messages to keep verbatim; default the policy's value. With
                      --target-tokens, fewer may be kept, and --strategy trim ignores K;
                      without it or with --turn-by-turn, at least 1 is kept
  --turn-by-turn      replay the transcript turn by turn and compress when the policy triggers
${MODEL_HELP}
  --effort E          ${COST_TIERS.join(', ')}; default default (not with local)
  --json              {"messages":[{"role","content"}],"events":[…],
                      "nodes":[{"id","depth","from","to","tokens","rung","brief","detailed"}],
                      "tokens":{"before","after","target"},
                      "calls":{"count","inputTokens","outputTokens","costUsd"},"ms"}
                      With --turn-by-turn, also includes "compressions":[{"at","trigger",
                      "outcome","messagesBefore","messagesAfter","tokensBefore",
                      "tokensAfter","calls","fallback"}], with "fallback":"extractive"
                      where the model failed;
                      "messages" is exactly what is sent; a node's "tokens" is the
                      token count of the messages it covers, from "from" to "to", and its
                      "rung" says how it was made: model, retry or tight (the model's
                      second and third attempt), extractive, or cut; "costUsd" is null if
                      the model's price is unknown
`,
  options: {
    ...MODEL_OPTIONS,
    'target-tokens': { type: 'string' },
    policy: { type: 'string' },
    strategy: { type: 'string' },
    preset: { type: 'string' },
    'keep-recent': { type: 'string' },
    effort: { type: 'string' },
    'turn-by-turn': { type: 'boolean' },
  },
  async run(invocation) {
    const { file, options, output, paid } = invocation;
    const targetTokens = integerOption(options, 'target-tokens', 1);
    const policy = choiceOption(options, 'policy', POLICY_NAMES) ?? 'balanced';
    const strategy = choiceOption(options, 'strategy', STRATEGIES) ?? 'smart';
    const preset = choiceOption(options, 'preset', PRESETS) ?? 'developer';
    const keepRecent = integerOption(options, 'keep-recent', 0);
    const effort = choiceOption(options, 'effort', COST_TIERS) ?? 'default';
    const selected = await modelFromOptions(invocation);
    const transcript = await readTranscriptFile(file, output);
    const counter = await loadEncoding(selected.encoding);
    const settings = { policy, strategy, preset, effort, keepRecent, counter, model: selected.chat };
    const isTurnByTurn = options['turn-by-turn'] === true;
    const startedAt = performance.now();
    const { messages, tokens, isExtracted, isWindowTooSmall, failure, compressions, ...result } =
      isTurnByTurn || targetTokens === undefined
        ? await compressAsSession(transcript, targetTokens, settings, selected, isTurnByTurn)
        : await compressAtOnce(transcript, targetTokens, settings);
    const ms = Math.round(performance.now() - startedAt);
    if (isExtracted)
      await output.note(
        `threadkeeper: ${extractionReason({ isWindowTooSmall })}. Summaries were extracted without a model.`,
      );
    if (failure) await output.note(`threadkeeper: The last compression failed. ${errorLine(failure)}`);
    const events = result.events.map(eventOutput);
    const nodes = result.nodes.map(nodeOutput);
    const calls = { ...result.calls, costUsd: paid.costUsd };
    return {
      json: { messages, events, nodes, tokens, calls, compressions, ms },
      text: textReport({ messages, tokens, compressions, ...result }),
    };
  },
};

interface CompressOptions {
  readonly policy: PolicyName;
  readonly strategy: Strategy;
  readonly preset: PresetName;
  readonly keepRecent: number | undefined;
  readonly effort: CostTier;
  readonly counter: TokenCounter;
  readonly model: ModelFromOptions['chat'];
}

interface Outcome extends CompressedMessages {
  readonly compressions?: readonly CompressionAttempt[] | undefined;
  /** Why the model failed in the last compression, if it did. */
  readonly failure?: ModelFault | undefined;
}

async function compressAtOnce(
  transcript: readonly TranscriptMessage[],
  targetTokens: number,
  options: CompressOptions,
): Promise<Outcome> {
  const compressed = await compressPreserveEvents(sourceMessages(transcript), targetTokens, options);
  if (compressed.tokens.before > targetTokens && compressed.messages.every(isCutSentence))
    throw new UsageError(`${tooLong(targetTokens)}. Increase --target-tokens.`);
  return compressed;
}

const tooLong = (limit: number): string => `The compressed transcript doesn’t fit in ${limit} tokens`;

/** Whether a message is only the beginning of a sentence, because a whole one didn't fit. */
const isCutSentence = ({ content }: CompressedMessages['messages'][number]): boolean =>
  typeof content === 'string' && content.endsWith('…') && sentencesOf(content).length === 1;

/** Compresses the transcript as a session: turn by turn, or all at once like *Compress History*. */
async function compressAsSession(
  transcript: readonly TranscriptMessage[],
  targetTokens: number | undefined,
  { policy: name, strategy, effort, keepRecent, ...options }: CompressOptions,
  selected: ModelFromOptions,
  isTurnByTurn: boolean,
): Promise<Outcome> {
  const recent = keepRecent === undefined ? {} : { recentMessages: Math.max(1, keepRecent) };
  const budget = targetTokens ?? selected.info?.contextWindow ?? DEFAULT_CONTEXT_WINDOW;
  const policy = resolvePolicy(name, { strategy, summary: { effort }, ...recent });
  const session = new InMemorySession({ ...options, policy, budget });
  let before = 0;
  for (const message of sourceMessages(transcript)) {
    if (isTurnByTurn) await session.receive(message);
    else session.add(message);
    before += session.meter.counts.total(message);
    if (ModelFault.is(session.lastCallError, ...LASTING_FAULTS)) throw session.lastCallError;
  }
  if (isTurnByTurn) await session.endTurn();
  else {
    const outcome = await session.compress();
    if (outcome.kind === 'failed') throw outcome.error;
  }
  const { tokensAfter: after, ...sent } = await requestWithSummaries(session, options.counter);
  if (after > budget && strategy !== 'off') {
    if (session.lastCallError) throw session.lastCallError;
    if (sent.isExtracted) throw new UsageError(`${extractionReason(sent)}. ${tooLong(budget)}: it needs ${after}.`);
    throw new UsageError(`${tooLong(budget)}: it needs ${after}. Increase --target-tokens or decrease --keep-recent.`);
  }
  const compressed = { ...sent, tokens: { before, after, target: targetTokens ?? null } };
  if (!isTurnByTurn) return compressed;
  const { attempts: compressions, failureReason: reason, lastCallError } = session;
  const failure = reason && (ModelFault.is(lastCallError, reason) ? lastCallError : new ModelFault(reason, reason));
  return { ...compressed, compressions, failure };
}

/** A summary node in JSON output. `from` and `to` are message indexes. */
function nodeOutput({ node, from, to }: CompressedMessages['nodes'][number]) {
  const { id, depth, tokens, rung, brief, detailed } = node;
  return { id, depth, from, to, tokens: tokens.source, rung, brief, detailed };
}

function textReport({ messages, tokens, nodes, events, compressions = [] }: Omit<Outcome, keyof Extraction>): string {
  const sent = messages.map(
    ({ role, content }) => `--- ${role}\n${typeof content === 'string' ? content : JSON.stringify(content)}\n`,
  );
  const active = events.filter(({ status }) => status === 'active').length;
  const saved = tokens.before === 0 ? 0 : Math.round((1 - tokens.after / tokens.before) * 1000) / 10;
  const target = tokens.target === null ? '' : `, target ${tokens.target}`;
  const attempts = compressions.map(
    ({ at, trigger, outcome, tokensBefore, tokensAfter }) =>
      `--- at message ${at}: ${trigger}, ${outcome}, ${tokensBefore} → ${tokensAfter} tokens`,
  );
  return [
    ...sent,
    ...attempts,
    `--- ${tokens.before} tokens before, ${tokens.after} after (${saved}% saved)${target}`,
    `--- summary nodes: ${nodes.length}, key events active: ${active} of ${events.length}\n`,
  ].join('\n');
}
