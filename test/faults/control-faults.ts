import { planted, type Catcher } from './planted-fault.ts';

const WINDOW: Catcher = {
  spec: 'test/property/policy/recent-messages.test.ts',
  title:
    'parts no call from its result, keeps as many as are asked for where they fit, and never takes more than its room',
};
const FIRING: Catcher = {
  spec: 'test/property/policy/triggers.test.ts',
  title: 'fire exactly where they say, the first that does, and not at all when compression is off',
};
const AT_ONCE: Catcher = {
  spec: 'test/property/policy/triggers.test.ts',
  title: 'fire at a reset above their limit, and before sending from theirs on',
};
const RESTING = 'test/property/promises/resting.test.ts';
const FAILED: Catcher = {
  spec: RESTING,
  title: 'that fails rests, twice as long after each failure in a row, an hour at most',
};
const NOTHING: Catcher = { spec: RESTING, title: 'that finds nothing to save rests before it looks again' };
const SPENT: Catcher = { spec: RESTING, title: 'is kept: no model is asked once it is used up, by whatever road' };

/** When compression begins, how long it rests, and what it may spend. */
export const CONTROL_FAULTS = [
  ...planted(
    'window',
    WINDOW,
    {
      what: 'the window begins between a call and its result',
      file: 'src/core/policy/policy.ts',
      find: '(taken > limits.maxTokens || !isBoundary(start))',
      put: 'taken > limits.maxTokens',
    },
    {
      what: 'the window takes one turn more than its room',
      file: 'src/core/policy/policy.ts',
      find: '(taken > limits.maxTokens ||',
      put: '(taken - tokens[start]! > limits.maxTokens ||',
    },
    {
      what: 'half of what was asked for is kept',
      file: 'src/core/policy/policy.ts',
      find: 'count - limits.keep',
      put: 'count - Math.ceil(limits.keep / 2)',
    },
  ),
  ...planted(
    'triggers',
    FIRING,
    {
      what: 'exactly 50 messages fire',
      file: 'src/core/policy/triggers.ts',
      find: 'facts.uncoveredMessages > messages)',
      put: 'facts.uncoveredMessages >= messages)',
    },
    {
      what: 'a multiple that a turn steps over is missed',
      file: 'src/core/policy/triggers.ts',
      find: 'return Math.floor(messagesEver / every) >',
      put: 'return messagesEver % every === 0 && Math.floor(messagesEver / every) >',
    },
    {
      what: 'an old summary fires with nothing before the window',
      file: 'src/core/policy/triggers.ts',
      find: 'facts.uncoveredMessages > policy.window',
      put: 'facts.uncoveredMessages > 0',
    },
  ),
  ...planted(
    'triggers',
    AT_ONCE,
    {
      what: 'a reset fires at exactly 40 messages',
      file: 'src/core/policy/triggers.ts',
      find: 'limit === null || uncoveredMessages <= limit)',
      put: 'limit === null || uncoveredMessages < limit)',
    },
    {
      what: 'a request waits only above the threshold, not at it',
      file: 'src/core/policy/triggers.ts',
      find: 'limit === null || share < limit)',
      put: 'limit === null || share <= limit)',
    },
  ),
  ...planted(
    'no-loops',
    FAILED,
    {
      what: 'each failure is followed by the same rest',
      file: 'src/app/compressor.ts',
      find: 'COOL_DOWN_MS * 2 ** this.#failures);',
      put: 'COOL_DOWN_MS);',
    },
    {
      what: 'a failed provider is asked again at once',
      file: 'src/app/compressor.ts',
      find: "if (this.#isCooling && due.trigger !== 'every') return 'cooling';",
      put: "if (this.#isCooling && due.trigger === 'every') return 'cooling';",
    },
  ),
  ...planted('no-loops', NOTHING, {
    what: 'what found nothing to save looks again after each turn',
    file: 'src/app/compression-triggers.ts',
    find: "if (outcome.kind === 'skipped' && measured !== undefined)",
    put: "if (outcome.kind === 'skipped' && measured === -1)",
  }),
  ...planted(
    'spend-limit',
    SPENT,

    {
      what: 'what a compression spends is not counted',
      file: 'src/app/paid-model.ts',
      find: 'gate.spent(costUsd);',
      put: '',
    },
    {
      what: 'regenerating a summary knows no limit',
      file: 'src/app/paid-model.ts',
      find: "gate.state() === 'open' ? asked.complete",
      put: 'gate.state() !== undefined ? asked.complete',
    },
  ),
];
