import { planted, type Catcher } from './planted-fault.ts';

const SUMMARIES = 'test/property/compress/summaries.test.ts';
const AUDITED: Catcher = {
  spec: SUMMARIES,
  title: 'are smaller than their source, not empty, quote byte for byte and cover each message once',
};
/** A quotation that the source lacks is mended before the audit sees it: the audit by itself has to be held. */
const QUOTES: Catcher = { spec: 'test/unit/audit/audit.test.ts', title: 'fails a quotation that differs by a letter' };
const SIZE: Catcher = { spec: 'test/unit/audit/audit.test.ts', title: 'fails what is as long as its source' };
const GUARDED: Catcher = { spec: SUMMARIES, title: 'are never asked for with more than the model takes' };
const FAILING: Catcher = { spec: SUMMARIES, title: 'commit nothing when the provider fails at any call' };
const CANCELLED: Catcher = { spec: SUMMARIES, title: 'stop at any point where they are cancelled' };
const GROWTH: Catcher = {
  spec: 'test/property/compress/growth.test.ts',
  title: 'keeps each message under exactly one frontier node, whose texts stay bounded',
};
const ANY_TARGET: Catcher = {
  spec: 'test/property/compress/levels.test.ts',
  title: 'stays within any target and accounts for every message in compressPreserveEvents',
};
const READ_ONCE: Catcher = {
  spec: 'test/property/compress/read-once.test.ts',
  title: 'has each message read once, no summary read again, and nothing asked for what it has summarized before',
};
const LEVELS: Catcher = {
  spec: 'test/property/compress/levels.test.ts',
  title: 'ends below the target in summarizeRecursive and below each level in summarizeHierarchical',
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
    QUOTES,
    {
      what: 'an invented quote passes',
      file: 'src/core/audit/audit.ts',
      find: '!source.text.some((whole) => whole.includes(quote))',
      put: '!source.text.some((whole) => whole !== quote)',
    },
    {
      what: 'short quotes are not looked at',
      file: 'src/core/audit/audit.ts',
      find: 'map(({ quote }) => quote)',
      put: "map(({ quote }) => (quote.length < 80 ? '' : quote))",
    },
  ),
  ...planted('audit', SIZE, {
    what: 'a summary as long as its source passes',
    file: 'src/core/audit/audit.ts',
    find: 'if (tokens >= source.tokens)',
    put: 'if (tokens >= 4 * source.tokens)',
  }),
  ...planted('audit', AUDITED, {
    what: 'what a summary takes is not counted with its framing',
    file: 'src/core/compress/leaf.ts',
    find: 'const tokens = { brief: framed(texts.brief, counter), detailed: framed(texts.detailed, counter) };',
    put: 'const tokens = { brief: counter.text(texts.brief), detailed: counter.text(texts.detailed) };',
  }),
  ...planted(
    'ladder-ends',
    AUDITED,
    {
      what: 'nothing stands in when the model answers badly',
      file: 'src/core/compress/summarize.ts',
      find: 'const rest = pieces.filter((piece) => !made.has(piece));',
      put: 'const rest = pieces.filter((piece) => !made.has(piece) && !asked.includes(piece));',
    },
    {
      what: 'the plain cut is left out',
      file: 'src/core/compress/leaf.ts',
      find: 'const least = Math.min(MIN_CUT, source.tokens - 1);',
      put: 'if (counter) return Promise.resolve(undefined);\n  const least = Math.min(MIN_CUT, source.tokens - 1);',
    },
  ),
  ...planted('ladder-ends', FAILING, {
    what: 'a provider’s fault counts as a bad answer',
    file: 'src/core/compress/summarize.ts',
    find: 'if (!settings.extractiveOnFault) throw error;',
    put: '',
  }),
  ...planted('ladder-ends', CANCELLED, {
    what: 'a cancellation is not noticed',
    file: 'src/core/compress/source.ts',
    find: 'if (this.cancel?.aborted) throw new Cancelled();',
    put: '',
  }),
  ...planted('ladder-ends', PARSED, {
    what: 'an answer of the wrong form is taken for a summary',
    file: 'src/core/compress/structured.ts',
    find: 'const issue = parsed.issues[0];',
    put: 'if (detail) return { ok: true, summary: value as never };\n    const issue = parsed.issues[0];',
  }),
  ...planted(
    'input-guard',
    GUARDED,
    {
      what: 'a prompt is as long as its price allows',
      file: 'src/core/compress/ask-model.ts',
      find: 'const input = model.maxInputTokens - answerTokens(tokens, settings);',
      put: 'const input = 1_000_000;',
    },
    {
      what: 'every model takes a hundred thousand tokens',
      file: 'src/core/compress/ask-model.ts',
      find: 'const { source } = piece;',
      put: 'Object.assign(model, { maxInputTokens: 100_000 });\n  const { source } = piece;',
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
      find: 'const isDue = total > budgetTokens',
      put: 'const isDue = total > 9 * budgetTokens',
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
    ANY_TARGET,

    {
      what: 'the newest user message is told and not sent',
      file: 'src/app/compression-plan.ts',
      find: 'items.findLastIndex((item) => startsTurn(item.message))',
      put: 'items.findIndex((item) => startsTurn(item.message))',
    },
  ),
  ...planted('target', ANY_TARGET, {
    what: 'what does not fit beside a summary is sent all the same',
    file: 'src/app/library.ts',
    find: 'if (sentTokens(session, counter) > targetTokens) {',
    put: 'if (sentTokens(session, counter) > 2 * targetTokens) {',
  }),
  ...planted(
    'levels',
    LEVELS,
    {
      what: 'brief takes a little more than a tenth',
      file: 'src/app/library.ts',
      find: 'Math.floor(tokens * BRIEF_SHARE)',
      put: 'Math.floor(tokens * BRIEF_SHARE * 1.1)',
    },
    {
      what: 'detailed takes a little more than three tenths',
      file: 'src/app/library.ts',
      find: 'Math.floor(tokens * DETAILED_SHARE)',
      put: 'Math.floor(tokens * DETAILED_SHARE * 1.1)',
    },
    {
      what: 'the framing of a told text is not counted',
      file: 'src/app/library.ts',
      find: 'counter, options), targetTokens, counter);',
      put: 'counter, options), targetTokens + 4, counter);',
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
      find: 'prompt: fill(template, { ...values, history: fenced(history, fence) }).trim(),',
      put: 'prompt: fill(fill(template, { history: fenced(history, fence) }), values).trim(),',
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
      file: 'src/core/compress/summarize.ts',
      find: 'tools.cache?.set(key, content);',
      put: '',
    },
    {
      what: 'a good answer is asked for once more',
      file: 'src/core/compress/ask-model.ts',
      find: 'if (content || isDoubtful) return content;',
      put: 'if (isDoubtful) return content;',
    },
    {
      what: 'another prompt gets the summaries of the one before',
      file: 'src/core/compress/summarize.ts',
      find: 'const key = `${piece.hash}:${settings.prompt.version}:',
      put: 'const key = `${piece.hash}:',
    },
    {
      what: 'the message at which a segment ends is read with the next one too',
      file: 'src/core/compress/summarize.ts',
      find: 'from: segment.from,\n      to: segment.to,',
      put: 'from: Math.max(0, segment.from - 1),\n      to: segment.to,',
    },
  ),
];
