import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Library, type PassReport } from '../../../src/app/library/library.ts';
import type { TranscriptMessage } from '../../../src/core/transcript/transcript-message.ts';
import { allSources } from '../../../src/sources/all-sources.ts';
import { Databases } from '../../../src/sources/databases.ts';
import { LibraryCopies } from '../../../src/storage/library-copies.ts';
import type { BenchContext } from '../context.ts';
import { syntheticSession } from '../data/synthetic.ts';
import type { Figure, Measured } from '../report/figure.ts';

const SESSIONS = 200;
/** The size of the home, in MB; 1,000 is what the product is held to. */
const DEFAULT_MB = 100;

interface Pass {
  readonly report: PassReport;
  readonly cpuSeconds: number;
  readonly heldMs: number;
  readonly heapMb: number;
}

/** What following the chats of other tools costs: a first pass over 200 sessions, one with nothing new, one with a line. */
export async function measureSources({ quick, say }: BenchContext): Promise<Measured> {
  const place = await mkdtemp(path.join(os.tmpdir(), 'sources-'));
  const megabytes = Number(process.env['THREADKEEPER_BENCH_MB'] ?? (quick ? 10 : DEFAULT_MB));
  try {
    say(`sources: ${SESSIONS} sessions, ${megabytes} MB`);
    const newest = await fillHome(path.join(place, 'home'), (megabytes * 1e6) / SESSIONS);
    const databases = new Databases(place);
    const sources = allSources({ folder: path.join(place, 'home'), env: {} }, databases);
    const open = (): Promise<Library> => Library.open(new LibraryCopies(path.join(place, 'library')));
    const first = await measured(async () => (await open()).follow(sources));
    const unchanged = await measured(async () => (await open()).follow(sources));
    await appendFile(newest, lineOf({ role: 'user', text: 'One more thing.' }, 99_999));
    const library = await open();
    const changed = await measured(() => library.follow(sources));
    await databases.close();
    if (first.report.read !== SESSIONS || unchanged.report.read !== 0 || changed.report.read !== 1) {
      throw new Error('The passes did not read what they should.');
    }
    return { figures: figuresOf(megabytes, first, unchanged, changed) };
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

function figuresOf(megabytes: number, first: Pass, unchanged: Pass, changed: Pass): Figure[] {
  const of = `${SESSIONS} sessions of other tools, ${megabytes} MB`;
  const share = megabytes / 1000;
  return [
    {
      id: 'speed.sources.first',
      label: `first pass over ${of}`,
      value: first.cpuSeconds,
      unit: 's',
      target: { atMost: 60 * share },
    },
    {
      id: 'speed.sources.held',
      label: 'longest that it holds the event loop',
      value: first.heldMs,
      unit: 'ms',
      target: { atMost: 50 },
    },
    {
      id: 'speed.sources.heap',
      label: 'heap at its largest',
      value: first.heapMb * 1024,
      unit: 'KB',
      target: { atMost: 300 * 1024 },
    },
    {
      id: 'speed.sources.unchanged',
      label: 'a pass with nothing new',
      value: unchanged.cpuSeconds,
      unit: 's',
      target: { atMost: 1 },
    },
    {
      id: 'speed.sources.changed',
      label: 'a pass with one new message',
      value: changed.cpuSeconds,
      unit: 's',
      target: { atMost: 2 },
    },
  ];
}

async function measured(pass: () => Promise<PassReport>): Promise<Pass> {
  let [heap, held] = [0, 0];
  let last = threadMs();
  // What the thread works between two ticks is at least what holds the loop, however busy the machine is.
  const sample = setInterval(() => {
    const now = threadMs();
    held = Math.max(held, now - last);
    last = now;
    heap = Math.max(heap, process.memoryUsage().heapUsed);
  }, 1);
  const started = process.cpuUsage();
  const report = await pass();
  const { user, system } = process.cpuUsage(started);
  clearInterval(sample);
  return { report, cpuSeconds: (user + system) / 1e6, heldMs: held, heapMb: heap / (1 << 20) };
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** Sessions of Claude Code with tool output, as developers have them; returns the file of the last one. */
async function fillHome(home: string, bytes: number): Promise<string> {
  const messages = syntheticSession(2_000);
  let file = '';
  for (let session = 0; session < SESSIONS; session++) {
    file = path.join(home, `.claude/projects/-work-${session % 20}/session-${session}.jsonl`);
    await mkdir(path.dirname(file), { recursive: true });
    const lines: string[] = [];
    for (let size = 0, index = 0; size < bytes; index++) {
      const line = lineOf(messages[(session * 37 + index) % messages.length]!, session * 100_000 + index);
      lines.push(line);
      size += line.length;
    }
    await writeFile(file, lines.join(''));
  }
  return file;
}

function lineOf({ role, text }: Pick<TranscriptMessage, 'role' | 'text'>, index: number): string {
  const timestamp = new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString();
  const content =
    role === 'tool' ? [{ type: 'tool_result', tool_use_id: `c${index}`, content: text }] : [{ type: 'text', text }];
  const type = role === 'assistant' ? 'assistant' : 'user';
  return `${JSON.stringify({ type, sessionId: 's', cwd: '/work', timestamp, message: { id: `m${index}`, role: type, content } })}\n`;
}
