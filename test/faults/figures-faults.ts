import { planted, type DetectingTest } from './planted-fault.ts';

const BUDGET: DetectingTest = {
  spec: 'test/property/budget/gauge.test.ts',
  title: 'has a budget that fits the context window together with the reserved reply',
};
const PARTS: DetectingTest = {
  spec: 'test/property/budget/gauge.test.ts',
  title: 'has parts that add up to the tokens used, each at most one token off its share',
};
const COUNTS: DetectingTest = { spec: 'test/property/tokens/bpe.test.ts', title: 'match js-tiktoken with' };
const CLAMPS: DetectingTest = {
  spec: 'test/property/tokens/calibration.test.ts',
  title: 'keeps its estimates within its clamps, whatever the server reports',
};
const FOUND: DetectingTest = {
  spec: 'test/property/search/search.test.ts',
  title: 'finds each text by each of its words',
};
const EXCERPTS: DetectingTest = {
  spec: 'test/property/search/search.test.ts',
  title: 'returns valid term positions, and an excerpt within its bounds',
};

/** Faults in counting, calibration, and search. */
export const FIGURE_FAULTS = [
  ...planted('gauge', PARTS, {
    what: 'the remainder of rounding is assigned to no part',
    file: 'src/core/budget/gauge.ts',
    find: 'for (const at of cut.slice(0, left)) whole[at]!++;',
    put: '',
  }),
  ...planted(
    'gauge',
    BUDGET,
    {
      what: 'the budget exceeds the model’s input limit',
      file: 'src/core/budget/gauge.ts',
      find: 'tokens: Math.min(contextWindow - reserved, maxInput),',
      put: 'tokens: contextWindow - reserved,',
    },
    {
      what: 'the reserved tokens exceed the model’s output limit',
      file: 'src/core/budget/gauge.ts',
      find: 'Math.floor(reservedReply), maxOutput, ',
      put: 'Math.floor(reservedReply), ',
    },
  ),
  ...planted(
    'exact-counts',
    COUNTS,
    {
      what: 'a piece counts as one token',
      file: 'src/core/tokens/bpe.ts',
      find: 'this.vocabulary.ranks.has(bytes) ? 1 : yield* this.merge(bytes);',
      put: '1;',
    },
    {
      what: 'the end of a piece that isn’t ASCII is not counted',
      file: 'src/core/tokens/bpe.ts',
      find: 'return bytes;',
      put: 'return bytes.slice(0, -1);',
    },
  ),
  ...planted(
    'calibrated',
    CLAMPS,
    {
      what: 'a usage report can reduce estimates to zero',
      file: 'src/core/tokens/calibration.ts',
      find: 'usual * MAX_JUMP), MIN_FACTOR, MAX_FACTOR)',
      put: 'usual * MAX_JUMP), 0, MAX_FACTOR)',
    },
    {
      what: 'a correction can exceed its maximum',
      file: 'src/core/tokens/calibration.ts',
      find: 'usual * MAX_JUMP), MIN_FACTOR, MAX_FACTOR)',
      put: 'usual * MAX_JUMP), MIN_FACTOR, 40)',
    },
  ),
  ...planted('found-again', FOUND, {
    what: 'words with capital letters are not indexed in lowercase',
    file: 'src/core/text/words.ts',
    find: ': seen & UPPER ? word.toLowerCase() : word;',
    put: ': word;',
  }),
  ...planted('found-again', EXCERPTS, {
    what: 'an excerpt is longer than requested',
    file: 'src/core/search/excerpt.ts',
    find: 'return extendToBreaks(text, bestRange(matches, maxChars), maxChars);',
    put: 'return extendToBreaks(text, bestRange(matches, maxChars), maxChars + 1);',
  }),
];
