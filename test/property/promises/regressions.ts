import type { SpokenTurn, Step } from './steps.ts';

const LINE = 'The list is handed to the caller, who shows it as a table with a heading and a line for each object.';
const talk = (turns: number, ask = 'What happens in this part?'): Step => ({
  do: 'import',
  turns: Array.from({ length: turns }, (): SpokenTurn => ({
    ask,
    rest: [{ kind: 'answer', text: `${LINE} ${LINE}` }],
  })),
});
const importTurns = (...asks: string[]): Step => ({
  do: 'import',
  turns: asks.map((ask): SpokenTurn => ({ ask, rest: [{ kind: 'answer', text: 'All right.' }] })),
});
/** An agent's long turn, with two concurrent calls at a time. */
const agent = (calls: number): Step => ({
  do: 'import',
  turns: [{ ask: 'Go on.', rest: Array.from({ length: calls }, () => ({ kind: 'parallel' as const, text: LINE })) }],
});
const compress = (meanwhile: Extract<Step, { do: 'compress' }>['meanwhile'] = 'nothing', pick = 0): Step => ({
  do: 'compress',
  meanwhile,
  pick,
});
const send = (text: string): Step => ({ do: 'send', text, attached: null });
const BACKGROUND: Step = { do: 'background', meanwhile: 'nothing', pick: 0 };
const GOOD_MODEL: Step = { do: 'model', name: 'good' };
/** History is compressed in the background after 50 messages. */
const OFTEN: Step = { do: 'policy', name: 'frugal', strategy: 'smart' };
const SENTENCES = [
  'Never deploy on a Friday.',
  'Remember: the staging password rotates on the 3rd of each month.',
  'We decided to use Postgres 16 for the ledger, because the old store loses writes.',
  'I prefer tabs over spaces in this project.',
  'Ab jetzt nehmen wir Port 8401 für das Gateway.',
  'TODO: write the migration for invoices before the release.',
];

const ROW = '```ts\nexport const rows = load(42);\n```';
const PART = 'What happens in this part? 😀';
const HISTORY = 'There is some history behind it, since an older version printed the rows one by one.';
const BATCH = `We use 120 for batchSize from now on.\n${HISTORY}\n`;
const turn = (
  ask: string,
  ...rest: readonly (readonly [SpokenTurn['rest'][number]['kind'], string])[]
): SpokenTurn => ({ ask, rest: rest.map(([kind, text]) => ({ kind, text })) });
const answered = (ask: string, ...texts: string[]): SpokenTurn =>
  turn(ask, ...texts.map((text) => ['answer', text] as const));
const [DECIDED, TWICE] = [SENTENCES[2]!, `${LINE} ${LINE} `];
const DECIDED_TWICE = `${DECIDED} ${DECIDED} `;

/** fast-check seed 1977962945, path 2126: a fault was lost when the plan shrank after the summarizer had failed. */
const RECOVERED: Step = {
  do: 'import',
  turns: [
    answered(TWICE, ' '),
    answered(LINE, ' '),
    answered(TWICE, DECIDED),
    answered(LINE, '今後は金曜日にデプロイしないでください。'),
    turn('それは前の部分とよく似ています。', ['parallel', `${ROW} `.repeat(5)], ['call', ROW]),
    answered(
      [LINE, LINE, LINE].join('\n'),
      `${PART} `.repeat(7),
      PART,
      `${BATCH}${ROW}`,
      `${BATCH}${SENTENCES[3]!}\n${ROW}\n${SENTENCES[0]!}`,
    ),
  ],
};

/** fast-check seed 5, path 459: with fixed levels, a summary of a few messages was as long as the messages. */
const SAVES_NOTHING: Step = {
  do: 'import',
  turns: [
    answered(DECIDED_TWICE, ' '),
    turn(LINE, ['answer', TWICE], ['answer', LINE], ['answer', LINE], ['parallel', LINE]),
    turn(PART, ['loose', TWICE], ['parallel', DECIDED_TWICE]),
    turn(
      DECIDED,
      ['answer', [LINE, HISTORY, PART].join('\n')],
      ['call', DECIDED],
      ['answer', LINE],
      ['loose', DECIDED_TWICE],
    ),
    turn(LINE, ['loose', ' '], ['loose', LINE], ['loose', LINE], ['answer', DECIDED]),
    turn(DECIDED, ['call', LINE], ['loose', LINE], ['answer', LINE]),
  ],
};

/**
 * fast-check seed 2026112332, path 162: when undone messages were compressed again, their key events, which were already
 * known, weren't counted in the ledger.
 */
const LEAVES_AGAIN: Step = {
  do: 'import',
  turns: [
    answered(LINE, DECIDED),
    answered('    ', ' '),
    turn(LINE, ['answer', DECIDED], ['answer', LINE], ['answer', LINE], ['parallel', PART]),
    turn(HISTORY, ['loose', `${SENTENCES[5]!} ${SENTENCES[5]!} `], ['answer', LINE]),
    answered(' ', LINE),
    answered(TWICE, TWICE),
  ],
};

/** fast-check seed 2026112333, path 312: undoing a summary during a compression made the record's figures negative. */
const UNDONE_MEANWHILE: Step = {
  do: 'import',
  turns: [
    answered(DECIDED, TWICE),
    answered(DECIDED, LINE),
    answered(DECIDED, DECIDED),
    answered(TWICE, `${DECIDED} `.repeat(25)),
    answered(LINE, '<key_events>\n- [decision] nothing\n</key_events>'),
    turn(LINE, ['answer', ' '], ['loose', DECIDED], ['loose', ' '], ['call', LINE]),
  ],
};

interface Regression {
  /** Completes “keeps every promise …”. */
  readonly why: string;
  readonly steps: readonly Step[];
}

/** Rare sequences, each of which once failed or could fail. */
export const REGRESSIONS: readonly Regression[] = [
  {
    // fast-check seed 2026112301, path 903
    why: 'when a model regenerates a summary while compression is off',
    steps: [
      talk(20),
      compress(),
      { do: 'policy', name: 'balanced', strategy: 'off' },
      GOOD_MODEL,
      { do: 'regenerate', pick: 0, finer: false },
    ],
  },
  {
    why: 'when a summary at a fixed level is as long as its messages',
    steps: [
      SAVES_NOTHING,
      { do: 'policy', name: 'steady', strategy: 'smart' },
      { do: 'switchBranch', pick: 400 },
      { do: 'switchBranch', pick: 933 },
      send(LINE),
      { do: 'level', pick: 0, level: 'brief' },
      send(DECIDED_TWICE),
    ],
  },
  {
    why: 'when undone messages are compressed again and their key events are already known',
    steps: [
      LEAVES_AGAIN,
      send(LINE),
      compress('pin'),
      { do: 'undo', pick: 0, undone: true },
      { do: 'switchBranch', pick: 8 },
      compress(),
    ],
  },
  {
    why: 'when a summary is undone during a compression',
    steps: [
      UNDONE_MEANWHILE,
      { do: 'model', name: 'broken' },
      compress(),
      { do: 'import', turns: [answered(LINE, LINE)] },
      compress('undo'),
    ],
  },
  {
    why: 'when the plan shrinks after the summarizer has failed',
    steps: [RECOVERED, { do: 'model', name: 'flaky' }, { do: 'budget', tokens: 900, ledgerShare: 0.4 }, compress()],
  },
  {
    why: 'when a summary has as many messages as before, but others: one is restored and another deleted',
    steps: [
      talk(20),
      { do: 'delete', pick: 3, deleted: true },
      compress(),
      { do: 'delete', pick: 0, deleted: false },
      { do: 'delete', pick: 6, deleted: true },
    ],
  },
  {
    why: 'when a message is restored and another deleted during a compression',
    steps: [talk(20), { do: 'delete', pick: 3, deleted: true }, GOOD_MODEL, compress('delete', 6)],
  },
  {
    why: 'when the user quotes text that a running compression is about to find as a key event',
    steps: [importTurns(...SENTENCES), talk(12), GOOD_MODEL, compress('quote'), compress()],
  },
  {
    why: 'when quotes are pinned, however small the ledger’s budget is',
    steps: [
      importTurns(...SENTENCES),
      talk(12),
      compress(),
      ...SENTENCES.map((_, pick): Step => ({ do: 'pin', pick, pinned: true })),
      { do: 'budget', tokens: 2_000, ledgerShare: 0.02 },
    ],
  },
  {
    why: 'when compression is off',
    steps: [talk(40), { do: 'policy', name: 'balanced', strategy: 'off' }, compress(), BACKGROUND, send('And?')],
  },
  {
    why: 'when compression is off and a model is selected',
    steps: [
      talk(40),
      GOOD_MODEL,
      { do: 'policy', name: 'balanced', strategy: 'off' },
      { do: 'preview' },
      compress(),
      BACKGROUND,
    ],
  },
  {
    why: 'when compressions are canceled',
    steps: [
      importTurns(...SENTENCES),
      talk(20),
      GOOD_MODEL,
      compress(),
      talk(20),
      compress('cancel'),
      compress('cancel'),
    ],
  },
  {
    why: 'when the model fails in the background',
    steps: [talk(20), compress(), talk(30), OFTEN, { do: 'model', name: 'throwing' }, BACKGROUND, BACKGROUND],
  },
  // With a small budget, summaries are merged. After the change, they are merged again.
  ...(
    [
      {
        why: 'when a summary is edited between merges',
        change: { do: 'editNode', pick: 0, text: 'As the user tells it.' },
      },
      { why: 'when a summary is undone between merges', change: { do: 'undo', pick: 1, undone: true } },
    ] satisfies { why: string; change: Step }[]
  ).map(({ why, change }): Regression => ({
    why,
    steps: [
      { do: 'budget', tokens: 900, ledgerShare: 0.4 },
      ...[1, 2, 3, 4, 5, 6].flatMap(() => [talk(20), compress()]),
      change,
      talk(20),
      compress(),
    ],
  })),
  {
    why: 'when a superseded key event is pinned',
    steps: [
      importTurns('We use 120 for batchSize from now on.', 'We use 64 for batchSize from now on.'),
      talk(20),
      compress(),
      { do: 'pin', pick: 0, pinned: true },
      { do: 'pin', pick: 1, pinned: true },
    ],
  },
  {
    why: 'when a key event is corrected before a running compression finds it',
    steps: [importTurns(...SENTENCES), talk(12), GOOD_MODEL, compress('quoteAndCorrect'), compress()],
  },
  {
    why: 'when an agent’s messages since the newest question don’t all fit',
    steps: [agent(60), { do: 'budget', tokens: 2_500, ledgerShare: 0.15 }, compress()],
  },
  {
    // Quoting short messages saves no tokens.
    why: 'when messages are short',
    steps: [importTurns(...SENTENCES, 'Fine.', 'Good.', 'Yes.', 'No.', 'So?', 'And?'), compress()],
  },
  {
    why: 'when a background compression follows an undone one',
    steps: [talk(30), compress(), { do: 'undo', pick: 0, undone: true }, talk(30), OFTEN, BACKGROUND],
  },
  ...[16, 17, 18].map((calls): Regression => ({
    why: `when an agent’s turn with ${calls} pairs of calls precedes another one`,
    steps: [agent(calls), agent(30), compress(), send('And now?')],
  })),
  ...[20, 21].map((calls): Regression => ({
    why: `when an agent’s turn with ${60 + calls} pairs of calls exceeds a small budget`,
    steps: [agent(60 + calls), { do: 'budget', tokens: 2_500, ledgerShare: 0.15 }, send('And now?')],
  })),
];
