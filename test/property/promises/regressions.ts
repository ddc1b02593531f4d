import type { SpokenTurn, Step } from './steps.ts';

const LINE = 'The list is handed to the caller, who shows it as a table with a heading and a line for each object.';
const turn = (
  ask: string,
  ...rest: readonly (readonly [SpokenTurn['rest'][number]['kind'], string])[]
): SpokenTurn => ({ ask, rest: rest.map(([kind, text]) => ({ kind, text })) });
const answered = (ask: string, ...texts: string[]): SpokenTurn =>
  turn(ask, ...texts.map((text) => ['answer', text] as const));
const imports = (...turns: SpokenTurn[]): Step => ({ do: 'import', turns });
/** The messages of so many similar turns. */
export const talk = (turns: number): Step =>
  imports(...Array.from({ length: turns }, () => answered('What happens in this part?', `${LINE} ${LINE}`)));
const importTurns = (...asks: string[]): Step => imports(...asks.map((ask) => answered(ask, 'All right.')));
/** An agent's long turn, with two concurrent calls at a time. */
const agent = (calls: number): Step =>
  imports(turn('Go on.', ...Array.from({ length: calls }, () => ['parallel', LINE] as const)));
const compress = (meanwhile: Extract<Step, { do: 'compress' }>['meanwhile'] = 'nothing', pick = 0): Step => ({
  do: 'compress',
  meanwhile,
  pick,
});
const send = (text: string): Step => ({ do: 'send', text, attached: null });
const remove = (pick: number): Step => ({ do: 'delete', pick, deleted: true });
const restore = (pick: number): Step => ({ do: 'delete', pick, deleted: false });
const undo = (pick: number): Step => ({ do: 'undo', pick, undone: true });
const pin = (pick: number): Step => ({ do: 'pin', pick, pinned: true });
const budget = (tokens: number, ledgerShare: number): Step => ({ do: 'budget', tokens, ledgerShare });
const model = (name: Extract<Step, { do: 'model' }>['name']): Step => ({ do: 'model', name });
const BACKGROUND: Step = { do: 'background', meanwhile: 'nothing', pick: 0 };
const GOOD_MODEL = model('good');
const OFF: Step = { do: 'policy', name: 'balanced', strategy: 'off' };
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
const [DECIDED, TWICE] = [SENTENCES[2]!, `${LINE} ${LINE} `];
const DECIDED_TWICE = `${DECIDED} ${DECIDED} `;

/** fast-check seed 1977962945, path 2126: a fault was lost when the plan shrank after the summarizer had failed. */
const RECOVERED = imports(
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
);

/** fast-check seed 5, path 459: with fixed levels, a summary of a few messages was as long as the messages. */
const SAVES_NOTHING = imports(
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
);

/**
 * fast-check seed 2026112332, path 162: when undone messages were compressed again, their key events, which were already
 * known, weren't counted in the ledger.
 */
const LEAVES_AGAIN = imports(
  answered(LINE, DECIDED),
  answered('    ', ' '),
  turn(LINE, ['answer', DECIDED], ['answer', LINE], ['answer', LINE], ['parallel', PART]),
  turn(HISTORY, ['loose', `${SENTENCES[5]!} ${SENTENCES[5]!} `], ['answer', LINE]),
  answered(' ', LINE),
  answered(TWICE, TWICE),
);

/** fast-check seed 2026112333, path 312: undoing a summary during a compression made the record's figures negative. */
const UNDONE_MEANWHILE = imports(
  answered(DECIDED, TWICE),
  answered(DECIDED, LINE),
  answered(DECIDED, DECIDED),
  answered(TWICE, `${DECIDED} `.repeat(25)),
  answered(LINE, '<key_events>\n- [decision] nothing\n</key_events>'),
  turn(LINE, ['answer', ' '], ['loose', DECIDED], ['loose', ' '], ['call', LINE]),
);

interface Regression {
  /** Completes “keeps every promise …”. */
  readonly why: string;
  readonly steps: readonly Step[];
}

/** With a small budget, summaries are merged. After the change, they are merged again. */
const changedBetweenMerges = (change: Step): readonly Step[] => [
  budget(900, 0.4),
  ...[1, 2, 3, 4, 5, 6].flatMap(() => [talk(20), compress()]),
  ...[change, talk(20), compress()],
];
const pairs = (calls: number): string => `when an agent’s turn with ${calls} pairs of calls`;

const rows: readonly (readonly [why: string, ...steps: Step[]])[] = [
  // fast-check seed 2026112301, path 903
  [
    'when a model regenerates a summary while compression is off',
    ...[talk(20), compress(), OFF, GOOD_MODEL, { do: 'regenerate', pick: 0, finer: false } as const],
  ],
  [
    'when a summary at a fixed level is as long as its messages',
    ...[SAVES_NOTHING, { do: 'policy', name: 'steady', strategy: 'smart' } as const],
    ...[400, 933].map((pick): Step => ({ do: 'switchBranch', pick })),
    ...[send(LINE), { do: 'level', pick: 0, level: 'brief' } as const, send(DECIDED_TWICE)],
  ],
  [
    'when undone messages are compressed again and their key events are already known',
    ...[LEAVES_AGAIN, send(LINE), compress('pin'), undo(0), { do: 'switchBranch', pick: 8 } as const, compress()],
  ],
  [
    'when a summary is undone during a compression',
    ...[UNDONE_MEANWHILE, model('broken'), compress(), imports(answered(LINE, LINE)), compress('undo')],
  ],
  [
    'when the plan shrinks after the summarizer has failed',
    ...[RECOVERED, model('flaky'), budget(900, 0.4), compress()],
  ],
  [
    'when a summary has as many messages as before, but others: one is restored and another deleted',
    ...[talk(20), remove(3), compress(), restore(0), remove(6)],
  ],
  [
    'when a message is restored and another deleted during a compression',
    ...[talk(20), remove(3), GOOD_MODEL, compress('delete', 6)],
  ],
  [
    'when the user quotes text that a running compression is about to find as a key event',
    ...[importTurns(...SENTENCES), talk(12), GOOD_MODEL, compress('quote'), compress()],
  ],
  [
    'when quotes are pinned, however small the ledger’s budget is',
    ...[importTurns(...SENTENCES), talk(12), compress(), ...SENTENCES.map((_, at) => pin(at)), budget(2_000, 0.02)],
  ],
  ['when compression is off', talk(40), OFF, compress(), BACKGROUND, send('And?')],
  [
    'when compression is off and a model is selected',
    ...[talk(40), GOOD_MODEL, OFF, { do: 'preview' } as const, compress(), BACKGROUND],
  ],
  [
    'when compressions are canceled',
    ...[importTurns(...SENTENCES), talk(20), GOOD_MODEL, compress(), talk(20), compress('cancel'), compress('cancel')],
  ],
  [
    'when the model fails in the background',
    ...[talk(20), compress(), talk(30), OFTEN, model('throwing'), BACKGROUND, BACKGROUND],
  ],
  [
    'when a summary is edited between merges',
    ...changedBetweenMerges({ do: 'editNode', pick: 0, text: 'As the user tells it.' }),
  ],
  ['when a summary is undone between merges', ...changedBetweenMerges(undo(1))],
  [
    'when a superseded key event is pinned',
    importTurns('We use 120 for batchSize from now on.', 'We use 64 for batchSize from now on.'),
    ...[talk(20), compress(), pin(0), pin(1)],
  ],
  [
    'when a key event is corrected before a running compression finds it',
    ...[importTurns(...SENTENCES), talk(12), GOOD_MODEL, compress('quoteAndCorrect'), compress()],
  ],
  ['when an agent’s messages since the newest question don’t all fit', ...[agent(60), budget(2_500, 0.15), compress()]],
  // Quoting short messages saves no tokens.
  ['when messages are short', importTurns(...SENTENCES, 'Fine.', 'Good.', 'Yes.', 'No.', 'So?', 'And?'), compress()],
  ['when a background compression follows an undone one', talk(30), compress(), undo(0), talk(30), OFTEN, BACKGROUND],
  ...[16, 17, 18].map(
    (calls) => [`${pairs(calls)} precedes another one`, agent(calls), agent(30), compress(), send('And now?')] as const,
  ),
  ...[80, 81].map(
    (calls) => [`${pairs(calls)} exceeds a small budget`, agent(calls), budget(2_500, 0.15), send('And now?')] as const,
  ),
];

/** Rare sequences, each of which once failed or could fail. */
export const REGRESSIONS: readonly Regression[] = rows.map(([why, ...steps]) => ({ why, steps }));
