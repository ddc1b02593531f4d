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
const background: Step = { do: 'background', meanwhile: 'nothing', pick: 0 };
const good: Step = { do: 'model', name: 'good' };
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
): SpokenTurn => ({
  ask,
  rest: rest.map(([kind, text]) => ({ kind, text })),
});
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

/** fast-check seed 2026112332, path 162: undone messages were compressed again, when their key events were known. */
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

/** Rare sequences, each of which once failed or could fail. */
export const KNOWN_SEQUENCES: readonly (readonly Step[])[] = [
  // Regenerating a summary may ask a model even if compression is off (fast-check seed 2026112301, path 903).
  [
    talk(20),
    compress(),
    { do: 'policy', name: 'balanced', strategy: 'off' },
    good,
    { do: 'regenerate', pick: 0, finer: false },
  ],
  [
    SAVES_NOTHING,
    { do: 'policy', name: 'steady', strategy: 'smart' },
    { do: 'leave', pick: 400 },
    { do: 'leave', pick: 933 },
    send(LINE),
    { do: 'level', pick: 0, level: 'brief' },
    send(DECIDED_TWICE),
  ],
  [
    LEAVES_AGAIN,
    send(LINE),
    compress('pin'),
    { do: 'undo', pick: 0, undone: true },
    { do: 'leave', pick: 8 },
    compress(),
  ],
  [
    UNDONE_MEANWHILE,
    { do: 'model', name: 'broken' },
    compress(),
    { do: 'import', turns: [answered(LINE, LINE)] },
    compress('undo'),
  ],
  [RECOVERED, { do: 'model', name: 'flaky' }, { do: 'budget', tokens: 900, ledgerShare: 0.4 }, compress()],
  // One message is restored and another deleted: a node's number of messages stays the same, but not the messages.
  [
    talk(20),
    { do: 'delete', pick: 3, deleted: true },
    compress(),
    { do: 'delete', pick: 0, deleted: false },
    { do: 'delete', pick: 6, deleted: true },
  ],
  [talk(20), { do: 'delete', pick: 3, deleted: true }, good, compress('delete', 6)],
  // The user quotes text that a running compression is about to find as a key event.
  [importTurns(...SENTENCES), talk(12), good, compress('quote'), compress()],
  // Pinned quotes are kept however small the ledger's room is.
  [
    importTurns(...SENTENCES),
    talk(12),
    compress(),
    ...SENTENCES.map((_, pick): Step => ({ do: 'pin', pick, pinned: true })),
    { do: 'budget', tokens: 2_000, ledgerShare: 0.02 },
  ],
  [talk(40), { do: 'policy', name: 'balanced', strategy: 'off' }, compress(), background, send('And?')],
  [talk(40), good, { do: 'policy', name: 'balanced', strategy: 'off' }, { do: 'preview' }, compress(), background],
  [importTurns(...SENTENCES), talk(20), good, compress(), talk(20), compress('cancel'), compress('cancel')],
  [talk(20), compress(), talk(30), OFTEN, { do: 'model', name: 'throwing' }, background, background],
  // Summaries are merged in a small window. Then one is edited or another undone, and they are merged again.
  ...(
    [
      { do: 'editNode', pick: 0, text: 'As the user tells it.' },
      { do: 'undo', pick: 1, undone: true },
    ] satisfies Step[]
  ).map((change): Step[] => [
    { do: 'budget', tokens: 900, ledgerShare: 0.4 },
    ...[1, 2, 3, 4, 5, 6].flatMap(() => [talk(20), compress()]),
    change,
    talk(20),
    compress(),
  ]),
  // A superseded event is pinned, and an event is corrected before it's found.
  [
    importTurns('We use 120 for batchSize from now on.', 'We use 64 for batchSize from now on.'),
    talk(20),
    compress(),
    { do: 'pin', pick: 0, pinned: true },
    { do: 'pin', pick: 1, pinned: true },
  ],
  [importTurns(...SENTENCES), talk(12), good, compress('quoteAndCorrect'), compress()],
  // An agent has worked since the newest question, and its messages don't all fit.
  [agent(60), { do: 'budget', tokens: 2_500, ledgerShare: 0.15 }, compress()],
  // Short messages aren't shortened by quoting them.
  [importTurns(...SENTENCES, 'Fine.', 'Good.', 'Yes.', 'No.', 'So?', 'And?'), compress()],
  [talk(30), compress(), { do: 'undo', pick: 0, undone: true }, talk(30), OFTEN, background],
  ...[16, 17, 18].map((calls): Step[] => [agent(calls), agent(30), compress(), send('And now?')]),
  ...[20, 21].map((calls): Step[] => [
    agent(60 + calls),
    { do: 'budget', tokens: 2_500, ledgerShare: 0.15 },
    send('And now?'),
  ]),
];
