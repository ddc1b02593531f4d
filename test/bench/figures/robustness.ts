import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import * as v from 'valibot';
import { inPackages, root } from '../../../scripts/support/paths.ts';
import { runCommand } from '../../../scripts/support/processes.ts';
import { robustnessFolder } from '../../support/robustness-figures.ts';
import type { BenchContext } from '../context.ts';
import type { Figure, Measured } from '../report/figure.ts';

type Counts = Readonly<Record<string, number>>;

/** A test whose counts stand in the report. */
interface Source {
  /** The name that the test notes its counts under. */
  readonly test: string;
  readonly spec: string;
  readonly figures: (counts: Counts) => readonly Omit<Figure, 'unit'>[];
}

const none = { target: { atMost: 0 }, guard: { worse: 'higher', margin: 0 } } as const;
const all = { target: { atLeast: 1 }, guard: { worse: 'lower', margin: 0 } } as const;
const number = (counts: Counts, name: string): number => counts[name] ?? Number.NaN;

const SOURCES: readonly Source[] = [
  {
    test: 'kill',
    spec: 'test/unit/storage/kill.test.ts',
    figures: (counts) => [
      { id: 'kill.kills', label: 'writers killed while they wrote', value: number(counts, 'kills') },
      { id: 'kill.events', label: 'messages that they had acknowledged', value: number(counts, 'events') },
      { id: 'kill.lost', label: 'of these lost', value: number(counts, 'lost'), ...none },
      { id: 'kill.doubled', label: 'of these written twice', value: number(counts, 'doubled'), ...none },
    ],
  },
  {
    test: 'two-windows',
    spec: 'test/unit/storage/two-windows.test.ts',
    figures: (counts) => [
      {
        id: 'windows.messages',
        label: 'messages of two processes that take the session from each other',
        value: number(counts, 'messages'),
      },
      { id: 'windows.lost', label: 'of these lost', value: number(counts, 'lost'), ...none },
      { id: 'windows.doubled', label: 'of these written twice', value: number(counts, 'doubled'), ...none },
    ],
  },
  {
    test: 'damage',
    spec: 'test/property/storage/damage.test.ts',
    figures: (counts) =>
      ['journals', 'snapshots', 'checkpoints'].map((what) => ({
        id: `damage.${what}`,
        label: `${number(counts, 'cases').toLocaleString('en-US')} damaged ${what}: read for what is sound, nothing deleted`,
        value: number(counts, what) / number(counts, 'cases'),
        ...all,
      })),
  },
  {
    test: 'chaos',
    spec: 'test/unit/app/chaos.test.ts',
    figures: (counts) => [
      {
        id: 'chaos.turns',
        label: 'turns over a network that faults 3 of 10 requests, compression on',
        value: number(counts, 'turns'),
      },
      { id: 'chaos.faults', label: 'of these ended by a fault that says what to do', value: number(counts, 'faults') },
      { id: 'chaos.lost', label: 'messages lost in them', value: number(counts, 'lost'), ...none },
    ],
  },
  ...['OpenAI-Responses', 'compatible-server-Chat-Completions', 'Anthropic-Messages'].map((protocol): Source => ({
    test: `network-${protocol}`,
    spec: 'test/unit/providers/chaos.test.ts',
    figures: (counts) => [
      {
        id: `network.${protocol}.whole`,
        label: `${number(counts, 'turns')} turns through ${protocol.replaceAll('-', ' ')}, 3 of 10 requests faulted: complete`,
        value: number(counts, 'whole') / number(counts, 'turns'),
      },
      { id: `network.${protocol}.stuck`, label: 'turns that did not end', value: number(counts, 'stuck'), ...none },
    ],
  })),
];

const countsSchema = v.record(v.string(), v.number());
const fileOf = (test: string): string => path.join(robustnessFolder, `${test}.json`);

/** What tests of kills, damage, broken networks and two windows have counted: of their last run, else they are run. */
export async function measureRobustness({ quick, say }: BenchContext): Promise<Measured> {
  const missing = [...new Set(SOURCES.filter(({ test }) => !existsSync(fileOf(test))).map(({ spec }) => spec))];
  if (missing.length > 0 && !quick) {
    say(`robustness: running ${missing.join(', ')}`);
    const mocha = inPackages('mocha', 'bin', 'mocha.js');
    const loader = ['--import', path.join(root, 'test', 'support', 'text-loader.mjs')];
    const args = [...loader, mocha, '--no-config', '--timeout', '20000', ...missing];
    const { code, output } = await runCommand(process.execPath, args, { cwd: root });
    if (code !== 0) say(`robustness: a test has failed\n${output}`);
  }
  const figures: Figure[] = [];
  const notes: string[] = [];
  for (const { test, spec, figures: of } of SOURCES) {
    if (!existsSync(fileOf(test))) {
      notes.push(`Robustness: ${spec} has not been run here; \`npm test\` or a full run counts it.`);
      continue;
    }
    const counts = v.parse(countsSchema, JSON.parse(readFileSync(fileOf(test), 'utf8')));
    for (const figure of of(counts))
      figures.push({
        ...figure,
        id: `robustness.${figure.id}`,
        unit: figure.id.startsWith('damage.') || figure.id.endsWith('.whole') ? 'share' : 'count',
      });
  }
  return { figures, notes: [...new Set(notes)] };
}
