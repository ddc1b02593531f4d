import { planted, type Catcher } from './planted-fault.ts';

const SUMMARIES = 'test/property/compress/summaries.test.ts';
const AUDITED: Catcher = {
  spec: SUMMARIES,
  title: 'are smaller than their source, not empty, quote byte for byte and cover each message once',
};
const GUARDED: Catcher = { spec: SUMMARIES, title: 'are never asked for with more than the model takes' };
const FAILING: Catcher = { spec: SUMMARIES, title: 'commit nothing when the provider fails at any call' };
const CANCELLED: Catcher = { spec: SUMMARIES, title: 'stop at any point where they are cancelled' };
const GROWTH: Catcher = {
  spec: 'test/property/compress/growth.test.ts',
  title: 'keeps each message under exactly one frontier node, whose texts stay bounded',
};
const TARGET: Catcher = {
  spec: 'test/property/compress/transcripts.test.ts',
  title: 'stay within the target, keep the newest user message and account for every message and event',
};
const ANY_TARGET: Catcher = {
  spec: 'test/property/compress/transcripts.test.ts',
  title: 'never exceed the target in compressPreserveEvents, whatever it is',
};
const READ_ONCE: Catcher = {
  spec: 'test/property/compress/read-once.test.ts',
  title: 'has each message read once, no summary read again, and nothing asked for what it has summarized before',
};
const LEVELS: Catcher = {
  spec: 'test/property/compress/levels.test.ts',
  title: 'end below the target in summarizeRecursive and below each level in summarizeHierarchical',
};
const FENCED: Catcher = {
  spec: 'test/property/compress/prompts.test.ts',
  title: 'fence any history with a line that it does not hold',
};
const PARSED: Catcher = {
  spec: 'test/property/compress/prompts.test.ts',
  title: 'are parsed or refused, never thrown over',
};

const ASKED: Catcher = {
  spec: 'test/property/audit/asked.test.ts',
  title: 'asks for no more than the model takes, with all data fenced off, and keeps each statement where it is',
};

/** What a summary may be, whatever a model answers. */
export const SUMMARY_FAULTS = [
  ...planted(
    'audit',
    AUDITED,
    {
      what: 'an invented quote passes',
      file: 'src/core/audit/audit.ts',
      find: '!source.texts.some((text) => text.includes(quote))',
      put: '!source.texts.some((text) => text !== quote)',
    },
    {
      what: 'short quotes are not looked at',
      file: 'src/core/audit/audit.ts',
      find: 'map(({ quote }) => quote)',
      put: "map(({ quote }) => (quote.length < 80 ? '' : quote))",
    },
    {
      what: 'a summary as long as its source passes',
      file: 'src/core/compress/leaf.ts',
      find: 'detailed: Math.min(Math.floor(sourceTokens * DETAILED_SHARE), ceilings.detailed),',
      put: 'detailed: ceilings.detailed,',
    },
    {
      what: 'what a summary takes is not counted with its framing',
      file: 'src/core/compress/leaf.ts',
      find: 'tokens: { brief: framed(short, counter), detailed: framed(detailed, counter) },',
      put: 'tokens: { brief: counter.text(short), detailed: counter.text(detailed) },',
    },
  ),
  ...planted(
    'ladder-ends',
    AUDITED,
    {
      what: 'nothing stands in when the model answers badly',
      file: 'src/core/compress/ladder.ts',
      find: 'trust.badAnswer();\n  return { content: await localContent(source, options) };',
      put: 'trust.badAnswer();\n  return { content: undefined };',
    },
    {
      what: 'the plain cut is left out',
      file: 'src/core/compress/leaf.ts',
      find: 'return cutContent(source, tools);',
      put: 'return undefined;',
    },
  ),
  ...planted('ladder-ends', FAILING, {
    what: 'a provider’s fault counts as a bad answer',
    file: 'src/core/compress/ladder.ts',
    find: 'if (!options.allowExtractiveOnFault) throw fault;',
    put: '',
  }),
  ...planted('ladder-ends', CANCELLED, {
    what: 'a cancellation is not noticed',
    file: 'src/core/compress/source.ts',
    find: 'if (cancel?.aborted) throw new Cancelled();',
    put: '',
  }),
  ...planted('ladder-ends', PARSED, {
    what: 'an answer of the wrong form is taken for a summary',
    file: 'src/core/compress/structured.ts',
    find: 'if (parsed.success) return { ok: true, summary: parsed.output,',
    put: 'return { ok: true, summary: (parsed.success ? parsed.output : value) as never,',
  }),
  ...planted(
    'input-guard',
    GUARDED,
    {
      what: 'a prompt is as long as its price allows',
      file: 'src/core/compress/ladder.ts',
      find: "const overhead = promptTokens(render(''), options);",
      put: "options = { ...options, counter: { ...options.counter, text: (text) => text.length / 40 } };\n  const overhead = promptTokens(render(''), options);",
    },
    {
      what: 'every model takes a hundred thousand tokens',
      file: 'src/core/compress/ladder.ts',
      find: 'const { prompt } = options;\n  const messages',
      put: 'Object.assign(model, { maxInputTokens: 100_000 });\n  const { prompt } = options;\n  const messages',
    },
  ),
  ...planted(
    'check',
    ASKED,
    {
      what: 'the answer has no room kept for it',
      file: 'src/core/audit/asked.ts',
      find: ' - maxTokens - SPARE_TOKENS;',
      put: ' - SPARE_TOKENS;',
    },
    {
      what: 'a verdict that was not given supports its statement',
      file: 'src/core/audit/asked.ts',
      find: ': byCode(statement));',
      put: ": { ...statement, reason: 'supported', isByCode: true });",
    },
    {
      what: 'the record has no fence around it',
      file: 'src/core/prompts/render.ts',
      find: 'record: fenced(record, fence)',
      put: 'record',
    },
  ),
  ...planted(
    'bounded-frontier',
    GROWTH,
    {
      what: 'old summaries are never joined',
      file: 'src/core/compress/tree.ts',
      find: 'while (nodes.length > 1 && leastTokens(nodes) > aim) {',
      put: 'while (nodes.length > 9 && leastTokens(nodes) > aim) {',
    },
    {
      what: 'levels are as fine as can be, whatever they take',
      file: 'src/core/compress/levels.ts',
      find: 'if (tokens + more > finerUpTo) return false;',
      put: 'if (tokens > finerUpTo) return false;',
    },
  ),
  ...planted(
    'target',
    TARGET,
    {
      what: 'the heading of what was said earlier is not counted',
      file: 'src/core/compress/narrative.ts',
      find: 'const spare = budgetTokens - (await renderedTokens(groups, input, tools, pace));',
      put: 'const spare = 60 + budgetTokens - (await renderedTokens(groups, input, tools, pace));',
    },
    {
      what: 'the window is not counted',
      file: 'src/core/compress/compress-transcript.ts',
      find: 'const left = target - literal - ranges.length',
      put: 'const left = target - literal / 2 - ranges.length',
    },
    {
      what: 'the newest user message is told and not sent',
      file: 'src/core/compress/transcript-window.ts',
      find: 'const newestUser = messages.findLastIndex(startsTurn);',
      put: 'const newestUser = messages.findIndex(startsTurn);',
    },
    {
      what: 'an event that is nowhere in the context is called active',
      file: 'src/core/compress/compress-transcript.ts',
      find: "events.push(isIn || context.includes(entry.quote) ? entry : { ...entry, status: 'dropped' });",
      put: 'events.push(entry);',
    },
  ),
  ...planted('target', ANY_TARGET, {
    what: 'what is told instead is not measured',
    file: 'src/core/compress/compress-preserve-events.ts',
    find: 'after: tokens <= targetTokens ? tokens : 0,',
    put: 'after: sourceTokens,',
  }),
  ...planted(
    'levels',
    LEVELS,
    {
      what: 'brief takes a little more than a tenth',
      file: 'src/core/compress/summarize-hierarchical.ts',
      find: 'Math.floor(source * BRIEF_SHARE)',
      put: 'Math.floor(source * BRIEF_SHARE * 1.1)',
    },
    {
      what: 'full is longer than it may be',
      file: 'src/core/compress/leaf.ts',
      find: 'export const FULL_SHARE = 0.7;',
      put: 'export const FULL_SHARE = 0.85;',
    },
    {
      what: 'the framing of a told text is not counted',
      file: 'src/core/compress/tell.ts',
      find: 'transcriptText(messages) : whole, budgetTokens, counter);',
      put: 'transcriptText(messages) : whole, budgetTokens + 4, counter);',
    },
  ),
  ...planted(
    'fence',
    FENCED,
    {
      what: 'the fence is always the same',
      file: 'src/core/prompts/render.ts',
      find: 'const fence = `=====${textHash([history, String(salt)])}=====`;',
      put: "const fence = `=====${textHash(['', String(salt)])}=====`;\n    if (salt >= 0) return fence;",
    },
    {
      what: 'what stands in the history is filled in as a template',
      file: 'src/core/prompts/render.ts',
      find: 'history: fenced(history, fence),\n      format',
      put: 'history: fill(fenced(history, fence), { words: String(words) }),\n      format',
    },
    {
      what: 'the history has no fence at its end',
      file: 'src/core/prompts/render.ts',
      find: '`${fence}\\n${history}\\n${fence}`;',
      put: '`${fence}\\n${history}`;',
    },
  ),
  ...planted(
    'read-once',
    READ_ONCE,
    {
      what: 'what was summarized is not kept',
      file: 'src/core/compress/compress-run.ts',
      find: 'if (content && climbed.fault === undefined) tools.cache?.set(key, content);',
      put: '',
    },
    {
      what: 'a good answer is asked for once more',
      file: 'src/core/compress/ladder.ts',
      find: 'if (judged.content || options.trust.isDoubtful) return judged.content;',
      put: 'if (options.trust.isDoubtful) return judged.content;',
    },
    {
      what: 'another prompt gets the summaries of the one before',
      file: 'src/core/compress/compress-run.ts',
      find: 'const key = `${hash}:${settings.prompt.version}:',
      put: 'const key = `${hash}:',
    },
    {
      what: 'the message at which a segment ends is read with the next one too',
      file: 'src/core/compress/compress-run.ts',
      find: 'from: offset + segment.from,',
      put: 'from: offset + Math.max(0, segment.from - 1),',
    },
  ),
];
