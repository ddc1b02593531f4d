import { execFile } from 'node:child_process';
import { mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import * as esbuild from 'esbuild';
import * as v from 'valibot';
import { root } from '../../../scripts/support/paths.ts';
import { syntheticSession } from '../data/synthetic.ts';
import { WORKSPACE } from '../data/opening.ts';
import type { BenchContext } from '../context.ts';
import { quantile } from '../report/cpu.ts';
import { figure, type Figure, type Measured } from '../report/figure.ts';
import { clock, fillFolder } from '../data/sessions-on-disk.ts';
import { FileSessionStore } from '../../../src/storage/session-store.ts';
import { inFolder } from '../../unit/storage/test-store.ts';

const run = promisify(execFile);
const outcome = v.object({
  ms: v.number(),
  sessions: v.number(),
  messages: v.number(),
  shown: v.number(),
  tokens: v.number(),
});

/** The cost of the editor's start with many long sessions on disk. Each start is a separate process. */
export function measureSessionsOnDisk({ quick, print }: BenchContext): Promise<Measured> {
  return inFolder(async (place) => {
    const program = path.join(place, 'open-newest.mjs');
    await esbuild.build({
      entryPoints: [path.join(root, 'test/bench/data/open-newest.ts')],
      outfile: program,
      bundle: true,
      platform: 'node',
      format: 'esm',
      banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
      logLevel: 'error',
    });
    const [sessions, messages] = quick ? [40, 500] : [200, 1_000];
    const many = path.join(place, 'many');
    const one = path.join(place, 'one');
    const long = quick ? 2_000 : 10_000;
    print(`sessions: ${sessions} of ${messages} messages, and one of ${long}, on disk`);
    const transcript = syntheticSession(long);
    await fillFolder(many, WORKSPACE, Array<number>(sessions).fill(messages), transcript);
    await fillFolder(one, WORKSPACE, [long], transcript);

    const starts: Record<'none' | 'many' | 'one' | 'whole', number[]> = { none: [], many: [], one: [], whole: [] };
    const start = async (folder: string): Promise<v.InferOutput<typeof outcome>> => {
      const { stdout } = await run(process.execPath, [program, folder]);
      return v.parse(outcome, JSON.parse(stdout));
    };
    // Alternates, so that other load on the machine affects all alike.
    for (let round = 0; round < (quick ? 3 : 9); round++) {
      const empty = path.join(place, `empty-${round}`);
      await mkdir(empty);
      starts.none.push((await start(empty)).ms);
      const opened = await start(many);
      if (opened.sessions !== sessions || opened.messages !== messages) throw new Error('not all sessions were found');
      starts.many.push(opened.ms);
      starts.one.push((await start(one)).ms);
      for (const name of await readdir(one)) {
        if (name.endsWith('.checkpoint.json')) await rm(path.join(one, name));
      }
      starts.whole.push((await start(one)).ms);
      // A killed start leaves no checkpoint, so the session list has to be rebuilt.
      await new FileSessionStore({ folder: one, clock, writer: 'bench' }).list();
    }
    return { figures: figuresOf(starts, sessions, messages, long) };
  });
}

function figuresOf(
  starts: Readonly<Record<'none' | 'many' | 'one' | 'whole', readonly number[]>>,
  sessions: number,
  messages: number,
  long: number,
): Figure[] {
  const median = (which: keyof typeof starts): number => quantile(starts[which], 0.5);
  const all = (sessions * messages).toLocaleString('en-US');
  return [
    figure(
      'speed.sessions.start',
      `start with ${sessions} sessions of ${all} messages on disk and the newest opened, against none`,
      median('many') / median('none'),
      '×',
      { target: { atMost: 1.5 }, guard: { worse: 'higher', margin: 0.25 } },
    ),
    figure(
      'speed.sessions.long',
      `start that opens a session of ${long.toLocaleString('en-US')} messages, against none`,
      median('one') / median('none'),
      '×',
      { guard: { worse: 'higher', margin: 0.35 } },
    ),
    figure(
      'speed.sessions.checkpoint',
      'what a checkpoint leaves of opening it, beside a start without sessions',
      Math.max(0, median('one') - median('none')) / (median('whole') - median('none')),
      'share',
      { guard: { worse: 'higher', margin: 0.5, slack: 0.1 } },
    ),
    figure('speed.sessions.cpu', 'start without sessions, the tokenizer read', median('none'), 'ms'),
  ];
}
