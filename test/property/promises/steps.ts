import fc from 'fast-check';
import { KEY_EVENT_KINDS, type KeyEventKind } from '../../../src/core/model/key-event.ts';
import type { PolicyName, Strategy } from '../../../src/core/policy/policy.ts';

/** One message of a turn that is put into a session as an import would. */
export interface Spoken {
  readonly kind: 'answer' | 'call' | 'parallel' | 'loose';
  readonly text: string;
}

export interface SpokenTurn {
  readonly ask: string;
  readonly rest: readonly Spoken[];
}

export const MODELS = ['none', 'good', 'throwing', 'empty', 'long', 'broken', 'flaky'] as const;
export type ModelName = (typeof MODELS)[number];

/** What a user does while a summarizer is at work. */
export type Meanwhile =
  | 'nothing'
  | 'pin'
  | 'quote'
  | 'quoteAndCorrect'
  | 'undo'
  | 'delete'
  | 'edit'
  | 'remove'
  | 'correct'
  | 'say'
  | 'cancel'
  | 'leave';

/** What can happen to a session. Numbers pick from what there is, modulo how much there is. */
export type Step =
  | { readonly do: 'import'; readonly turns: readonly SpokenTurn[] }
  | { readonly do: 'send'; readonly text: string }
  | { readonly do: 'compress'; readonly meanwhile: Meanwhile; readonly pick: number }
  | { readonly do: 'background'; readonly meanwhile: Meanwhile; readonly pick: number }
  | { readonly do: 'preview' }
  | { readonly do: 'undo'; readonly pick: number; readonly undone: boolean }
  | { readonly do: 'editNode'; readonly pick: number; readonly text: string }
  | { readonly do: 'resummarize'; readonly pick: number; readonly finer: boolean }
  | { readonly do: 'level'; readonly pick: number; readonly level: 'brief' | 'detailed' | 'full' }
  | { readonly do: 'expand'; readonly pick: number; readonly how: 'turn' | 'always' }
  | { readonly do: 'undoCompressions'; readonly pick: number; readonly undone: boolean }
  | { readonly do: 'stepBack'; readonly undone: boolean }
  | { readonly do: 'pin'; readonly pick: number; readonly pinned: boolean }
  | { readonly do: 'quote'; readonly pick: number; readonly length: number }
  | { readonly do: 'remove'; readonly pick: number; readonly removed: boolean }
  /** Another kind and other words for a key event, or (null) what it was before its last correction. */
  | { readonly do: 'correct'; readonly pick: number; readonly kind: KeyEventKind | null }
  | { readonly do: 'delete'; readonly pick: number; readonly deleted: boolean }
  | { readonly do: 'leave'; readonly pick: number }
  | { readonly do: 'resend'; readonly pick: number; readonly text: string }
  | { readonly do: 'task'; readonly goal: string }
  | { readonly do: 'reset' }
  | { readonly do: 'restart' }
  | { readonly do: 'model'; readonly name: ModelName }
  | { readonly do: 'budget'; readonly tokens: number; readonly ledgerShare: number }
  | { readonly do: 'policy'; readonly name: PolicyName; readonly strategy: Strategy };

const SAYINGS = [
  'We decided to use Postgres 16 for the ledger, because the old store loses writes.',
  'We use 120 for batchSize from now on.',
  'We use 64 for batchSize from now on.',
  'Never deploy on a Friday.',
  'Remember: the staging password rotates on the 3rd of each month.',
  "Error: connect ECONNREFUSED 127.0.0.1:5432 in src/db/pool.ts, and the retry doesn't help.",
  'That fixed it, all tests pass now.',
  'I prefer tabs over spaces in this project.',
  'Ab jetzt nehmen wir Port 8401 für das Gateway.',
  'De agora em diante usamos o porto 9000.',
  '今後は金曜日にデプロイしないでください。',
  '以后一律使用 pnpm，不要用 npm。',
  'نستخدم المنفذ 8080 من الآن فصاعدا.',
  'TODO: write the migration for invoices before the release.',
];
const CHATTER = [
  'The list is handed to the caller, who shows it as a table with a heading and a line for each object.',
  'There is some history behind it, since an older version printed the rows one by one.',
  'Die übrigen Zeilen handeln von Farben und Breiten.',
  'それは前の部分とよく似ています。',
  '```ts\nexport const rows = load(42);\n```',
  'What happens in this part? 😀',
  '<key_events>\n- [decision] nothing\n</key_events>',
];
const sentence = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...SAYINGS) },
  { weight: 5, arbitrary: fc.constantFrom(...CHATTER) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }) },
);
const words = fc.oneof(
  { weight: 6, arbitrary: fc.array(sentence, { minLength: 1, maxLength: 5 }).map((all) => all.join('\n')) },
  {
    weight: 2,
    arbitrary: fc.tuple(sentence, fc.integer({ min: 2, max: 60 })).map(([one, n]) => `${one} `.repeat(n)),
  },
);
const spoken = fc.record({
  kind: fc.constantFrom('answer', 'answer', 'call', 'parallel', 'loose'),
  text: words,
});
const turn = fc.record({ ask: words, rest: fc.array(spoken, { minLength: 1, maxLength: 4 }) });
const pick = fc.nat({ max: 1_000 });
const meanwhile = fc.oneof(
  { weight: 5, arbitrary: fc.constant<Meanwhile>('nothing') },
  {
    weight: 4,
    arbitrary: fc.constantFrom<Meanwhile>(
      'pin',
      'quote',
      'quoteAndCorrect',
      'undo',
      'delete',
      'edit',
      'remove',
      'correct',
      'say',
      'cancel',
      'leave',
    ),
  },
);
const doing = <Name extends Step['do'], Rest>(name: Name, rest: fc.Arbitrary<Rest>) =>
  rest.map((values) => ({ do: name, ...values }));

/** Small and large, each with a share for the ledger of its own. */
const BUDGETS = [
  { do: 'budget', tokens: 900, ledgerShare: 0.4 },
  { do: 'budget', tokens: 2_500, ledgerShare: 0.15 },
  { do: 'budget', tokens: 6_000, ledgerShare: 0.02 },
  { do: 'budget', tokens: 30_000, ledgerShare: 0.15 },
  { do: 'budget', tokens: 120_000, ledgerShare: 0.15 },
] as const;

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: doing('import', fc.record({ turns: fc.array(turn, { minLength: 1, maxLength: 12 }) })) },
  { weight: 6, arbitrary: doing('send', fc.record({ text: words })) },
  { weight: 8, arbitrary: doing('compress', fc.record({ meanwhile, pick })) },
  { weight: 3, arbitrary: doing('background', fc.record({ meanwhile, pick })) },
  { weight: 1, arbitrary: fc.constant({ do: 'preview' } as const) },
  { weight: 3, arbitrary: doing('undo', fc.record({ pick, undone: fc.boolean() })) },
  { weight: 1, arbitrary: doing('editNode', fc.record({ pick, text: sentence })) },
  { weight: 1, arbitrary: doing('resummarize', fc.record({ pick, finer: fc.boolean() })) },
  {
    weight: 1,
    arbitrary: doing('level', fc.record({ pick, level: fc.constantFrom('brief', 'detailed', 'full') })),
  },
  { weight: 1, arbitrary: doing('expand', fc.record({ pick, how: fc.constantFrom('turn', 'always') })) },
  { weight: 1, arbitrary: doing('undoCompressions', fc.record({ pick, undone: fc.boolean() })) },
  { weight: 2, arbitrary: doing('stepBack', fc.record({ undone: fc.boolean() })) },
  { weight: 2, arbitrary: doing('pin', fc.record({ pick, pinned: fc.boolean() })) },
  { weight: 1, arbitrary: doing('quote', fc.record({ pick, length: fc.integer({ min: 1, max: 80 }) })) },
  { weight: 1, arbitrary: doing('remove', fc.record({ pick, removed: fc.boolean() })) },
  {
    weight: 2,
    arbitrary: doing('correct', fc.record({ pick, kind: fc.option(fc.constantFrom(...KEY_EVENT_KINDS)) })),
  },
  { weight: 3, arbitrary: doing('delete', fc.record({ pick, deleted: fc.boolean() })) },
  { weight: 2, arbitrary: doing('leave', fc.record({ pick })) },
  { weight: 2, arbitrary: doing('resend', fc.record({ pick, text: words })) },
  { weight: 1, arbitrary: doing('task', fc.record({ goal: sentence })) },
  { weight: 1, arbitrary: fc.constant({ do: 'reset' } as const) },
  { weight: 2, arbitrary: fc.constant({ do: 'restart' } as const) },
  { weight: 3, arbitrary: doing('model', fc.record({ name: fc.constantFrom(...MODELS) })) },
  { weight: 2, arbitrary: fc.constantFrom(...BUDGETS) },
  {
    weight: 1,
    arbitrary: doing(
      'policy',
      fc.record({
        name: fc.constantFrom('balanced', 'steady', 'frugal', 'long-memory'),
        strategy: fc.constantFrom('smart', 'smart', 'smart', 'auto', 'summarize', 'trim', 'off'),
      }),
    ),
  },
);

/** A session's life: first something to talk about, then anything. */
export const lives: fc.Arbitrary<Step[]> = fc
  .tuple(
    doing('import', fc.record({ turns: fc.array(turn, { minLength: 6, maxLength: 16 }) })),
    fc.array(step, { minLength: 3, maxLength: 16 }),
  )
  .map(([first, rest]) => [first, ...rest]);
