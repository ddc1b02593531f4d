// Measures the figures that the documentation states, as ratios within one run.
//   npm run bench -- [--quick] [--only NAME] [--write] [--check]
// --write stores the figures of whole sections in docs/benchmarks instead of out/bench; --check compares them with the
// stored ones.
import path from 'node:path';
import { parseArgs } from 'node:util';
import { outFolder, root } from '../../scripts/support/paths.ts';
import { ExpectedError, runMain } from '../../scripts/support/expected-error.ts';
import { loadEncoding } from '../../src/core/tokens/token-counter.ts';
import type { BenchContext } from './context.ts';
import { realTranscripts } from './data/real-transcripts.ts';
import { measureCost } from './figures/cost.ts';
import { measureEvents } from './figures/quality-events.ts';
import { measureGauge } from './figures/quality-gauge.ts';
import { measureFacts } from './figures/quality-facts.ts';
import { measureProbes } from './figures/quality-probes.ts';
import { measureSessions } from './figures/quality-sessions.ts';
import { measureActivation } from './figures/activation.ts';
import { measureCompression } from './figures/speed-compression.ts';
import { measureCounting } from './figures/speed-counting.ts';
import { measureLongSession } from './figures/speed-long-session.ts';
import { measureSessionsOnDisk } from './figures/speed-sessions.ts';
import { measureModels } from './figures/speed-models.ts';
import { measureSources } from './figures/sources.ts';
import { measureTurns } from './figures/speed-turns.ts';
import { SECTIONS, type Figure, type Measured, type Plot, type Section } from './report/figure.ts';
import { findRegressions, writeResults, type RunFacts } from './report/results.ts';
import { tableText } from './report/table.ts';

const MEASURES: Readonly<Record<string, (context: BenchContext) => Measured | Promise<Measured>>> = {
  turns: measureTurns,
  'long-session': measureLongSession,
  counting: measureCounting,
  compression: measureCompression,
  sources: measureSources,
  opening: measureSessionsOnDisk,
  models: measureModels,
  activation: measureActivation,
  cost: measureCost,
  gauge: measureGauge,
  events: measureEvents,
  sessions: measureSessions,
  facts: measureFacts,
  probes: measureProbes,
};

const QUALITY: readonly string[] = ['gauge', 'events', 'sessions', 'facts', 'probes'];
const sectionOfPart = (name: string): Section =>
  name === 'cost' ? 'cost' : QUALITY.includes(name) ? 'quality' : 'speed';

/** Whether only a part of a section is to be measured. */
function isPart(section: Section, wanted: readonly string[]): boolean {
  const own = Object.keys(MEASURES).filter((name) => sectionOfPart(name) === section);
  return own.some((name) => wanted.includes(name)) && !own.every((name) => wanted.includes(name));
}

async function measureAll(names: readonly string[], context: BenchContext): Promise<Required<Measured>> {
  const figures: Figure[] = [];
  const plots: Plot[] = [];
  const notes: string[] = [];
  for (const name of names) {
    const started = process.cpuUsage();
    const measured = await MEASURES[name]!(context);
    figures.push(...measured.figures);
    plots.push(...(measured.plots ?? []));
    notes.push(...(measured.notes ?? []));
    const { user, system } = process.cpuUsage(started);
    context.print(`${name}: ${((user + system) / 1e6).toFixed(1)} s of CPU time`);
  }
  return { figures, plots, notes };
}

await runMain(async () => {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true },
      write: { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
    },
  });
  const wanted = Object.keys(MEASURES).filter(
    (name) => values.only?.some((only) => name === only || name.startsWith(`${only}-`)) ?? true,
  );
  if (wanted.length === 0) throw new ExpectedError(`--only takes ${Object.keys(MEASURES).join(', ')}.`);
  const unwritable = values.write ? SECTIONS.filter((section) => isPart(section, wanted)) : [];
  if (unwritable.length > 0)
    throw new ExpectedError(`--write keeps whole sections, and ${unwritable.join(', ')} would be a part.`);
  const sessions = await realTranscripts();
  const run: RunFacts = {
    mode: values.quick ? 'quick' : 'full',
    data: sessions.length > 0 ? 'shared' : 'synthetic',
    node: process.version,
  };
  if (run.data === 'synthetic')
    console.log('The shared transcripts are absent: all figures are of synthetic sessions, some are left out.');
  const context: BenchContext = {
    quick: values.quick,
    counter: await loadEncoding('o200k_base'),
    sessions,
    print: (text) => console.error(`  … ${text}`),
  };
  const measured = await measureAll(wanted, context);
  console.log(tableText(measured.figures));
  for (const note of measured.notes) console.log(`\n${note}`);
  const folder = values.write ? path.join(root, 'docs', 'benchmarks') : path.join(outFolder, 'bench');
  // Compares before writing, so that a run isn't compared to itself.
  const judged = values.check ? await findRegressions(measured.figures, run.data) : undefined;
  console.log(`\nWritten to ${path.relative(root, await writeResults(measured, run, folder, values.write))}.`);
  if (!judged) return;
  if (judged.falls.length > 0)
    throw new ExpectedError(`\nWorse than the committed figures, or than must be:\n${judged.falls.join('\n')}`);
  console.log(`${judged.compared} figures compared with the committed ones: none has fallen.`);
});
