import fc from 'fast-check';
import { KEY_EVENT_KINDS } from '../../../src/core/model/key-event.ts';
import type { PolicyName, Strategy } from '../../../src/core/policy/policy.ts';

/** One message of a turn, added like by an import. */
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
  { weight: 2, arbitrary: fc.tuple(sentence, fc.integer({ min: 2, max: 60 })).map(([one, n]) => `${one} `.repeat(n)) },
);
const arbitrarySpoken: fc.Arbitrary<Spoken> = fc.record({
  kind: fc.constantFrom('answer', 'answer', 'call', 'parallel', 'loose'),
  text: words,
});
const turn: fc.Arbitrary<SpokenTurn> = fc.record({
  ask: words,
  rest: fc.array(arbitrarySpoken, { minLength: 1, maxLength: 4 }),
});
const pick = fc.nat({ max: 1_000 });
/** What a user does while a summarizer is running. */
const ACTIONS = [
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
  'switchBranch',
] as const;
export type Meanwhile = 'nothing' | (typeof ACTIONS)[number];
const meanwhile: fc.Arbitrary<Meanwhile> = fc.oneof(
  { weight: 5, arbitrary: fc.constant('nothing' as const) },
  { weight: 4, arbitrary: fc.constantFrom(...ACTIONS) },
);

/** A step's name and arguments. Its weight determines how often it's drawn. */
export const doing = <Name extends string, Rest extends object>(
  weight: number,
  name: Name,
  rest: { readonly [Key in keyof Rest]: fc.Arbitrary<Rest[Key]> },
) => ({
  weight,
  arbitrary: fc.record<Rest>(rest).map((values): { readonly do: Name } & Readonly<Rest> => ({ do: name, ...values })),
});
const turns = (minLength: number, maxLength: number) => ({ turns: fc.array(turn, { minLength, maxLength }) });
const undone = fc.boolean();

/** Small and large budgets with different ledger shares. */
const BUDGETS = [
  { do: 'budget', tokens: 900, ledgerShare: 0.4 },
  { do: 'budget', tokens: 2_500, ledgerShare: 0.15 },
  { do: 'budget', tokens: 6_000, ledgerShare: 0.02 },
  { do: 'budget', tokens: 30_000, ledgerShare: 0.15 },
  { do: 'budget', tokens: 120_000, ledgerShare: 0.15 },
] as const;

const model = doing(3, 'model', { name: fc.constantFrom(...MODELS) });
const policy = doing(1, 'policy', {
  name: fc.constantFrom<PolicyName[]>('balanced', 'steady', 'frugal', 'long-memory'),
  strategy: fc.constantFrom<Strategy[]>('smart', 'smart', 'smart', 'auto', 'summarize', 'trim', 'off'),
});

/** What can happen in a session. A number picks an existing item, modulo their number. */
const step = fc.oneof(
  doing(6, 'import', turns(1, 12)),
  doing(6, 'send', { text: words, attached: fc.option(words, { freq: 4 }) }),
  doing(8, 'compress', { meanwhile, pick }),
  doing(3, 'background', { meanwhile, pick }),
  doing(1, 'preview', {}),
  doing(3, 'undo', { pick, undone }),
  doing(1, 'editNode', { pick, text: sentence }),
  doing(1, 'regenerate', { pick, finer: fc.boolean() }),
  doing(1, 'level', { pick, level: fc.constantFrom('brief' as const, 'detailed' as const, 'full' as const) }),
  doing(1, 'expand', { pick, how: fc.constantFrom('turn' as const, 'always' as const) }),
  doing(1, 'undoCompressions', { pick, undone }),
  doing(2, 'stepBack', { undone }),
  doing(2, 'pin', { pick, pinned: fc.boolean() }),
  doing(1, 'quote', { pick, length: fc.integer({ min: 1, max: 80 }) }),
  doing(1, 'remove', { pick, removed: fc.boolean() }),
  // Another kind and quote for a key event, or null to undo its latest correction.
  doing(2, 'correct', { pick, kind: fc.option(fc.constantFrom(...KEY_EVENT_KINDS)) }),
  doing(3, 'delete', { pick, deleted: fc.boolean() }),
  doing(2, 'switchBranch', { pick }),
  doing(2, 'resend', { pick, text: words }),
  doing(1, 'task', { goal: sentence }),
  doing(1, 'reset', {}),
  doing(2, 'restart', {}),
  model,
  { weight: 2, arbitrary: fc.constantFrom(...BUDGETS) },
  policy,
);
export type Drawn<A> = A extends fc.Arbitrary<infer T> ? T : never;
type Wide<T> = T extends { readonly do: 'budget' }
  ? { readonly do: 'budget'; readonly tokens: number; readonly ledgerShare: number }
  : T;
export type Step = Wide<Drawn<typeof step>>;

/** A random session: first some messages, a model, and a policy, then anything. */
export const stepSequences: fc.Arbitrary<Step[]> = fc
  .tuple(
    doing(1, 'import', turns(6, 16)).arbitrary,
    model.arbitrary,
    policy.arbitrary,
    fc.array(step, { minLength: 3, maxLength: 16 }),
  )
  .map(([talk, summarizer, settings, rest]) => [talk, summarizer, settings, ...rest]);
