import { appendFile, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { build } from '../../../scripts/support/build.ts';
import { root } from '../../../scripts/support/paths.ts';
import type { ChatHit } from '../../../src/app/library/chat-index.ts';
import type { ChatCall, ChatList, ChatReply } from '../../../src/app/library/chat-library-calls.ts';
import type { SyncReport } from '../../../src/app/library/library.ts';
import { inEnglish } from '../../../src/core/text/phrase.ts';
import type { TranscriptMessage } from '../../../src/core/transcript/transcript-message.ts';
import { inFolder } from '../../unit/storage/test-store.ts';
import type { BenchContext } from '../context.ts';
import { syntheticSession } from '../data/synthetic.ts';
import { cpuMs, quantile, watchLoop } from '../report/cpu.ts';
import { figure, type Figure, type Measured } from '../report/figure.ts';

const SESSIONS = 200;
/** The size of the home folder in MB. The product's targets are for 1,000. */
const DEFAULT_MB = 100;
const SEARCHES = 100;

/** The worker thread, started like in the editor. */
class Thread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #lastId = 0;
  heapMb = 0;
  readonly #loop = watchLoop();
  readonly #heapTimer: NodeJS.Timeout;

  constructor(folder: string, home: string) {
    // Only the benchmark's own home folder: no environment variable points elsewhere.
    const env = { PATH: process.env['PATH'] ?? '' };
    const workerData = { folder, home, window: 'bench' };
    this.#worker = new Worker(path.join(root, 'dist/all-chats.cjs'), { workerData, env, execArgv: ['--no-warnings'] });
    this.#worker.on('message', (reply: ChatReply) => {
      if ('event' in reply) return;
      const waiting = this.#waiting.get(reply.id);
      this.#waiting.delete(reply.id);
      if ('result' in reply) waiting?.resolve(reply.result);
      else waiting?.reject(new Error(inEnglish(reply.fault)));
    });
    this.#heapTimer = setInterval(() => void this.#measureHeap(), 50);
  }

  call<Result>(method: ChatCall['method'], ...args: readonly unknown[]): Promise<Result> {
    const id = ++this.#lastId;
    const waiting = Promise.withResolvers<unknown>();
    this.#waiting.set(id, waiting);
    this.#worker.postMessage({ id, method, args });
    return waiting.promise as Promise<Result>;
  }

  async #measureHeap(): Promise<void> {
    // Rejects if the thread hasn't started or has ended.
    const found = await this.#worker.getHeapStatistics().catch(() => undefined);
    this.heapMb = Math.max(this.heapMb, (found?.used_heap_size ?? 0) / (1 << 20));
  }

  follow(): Promise<SyncReport> {
    return this.call('follow', { tools: ['claude-code'], keepMs: 0 });
  }

  /** Resolves to the maximum time for which the main thread was blocked, in ms. */
  async end(): Promise<number> {
    const heldMs = this.#loop.stop();
    clearInterval(this.#heapTimer);
    await this.call('close');
    await this.#worker.terminate();
    return heldMs;
  }
}

/**
 * The cost of following the chats of other tools: a first sync of 200 sessions, a start without changes, an added
 * line, and searches.
 */
export function measureSources({ quick, print }: BenchContext): Promise<Measured> {
  const megabytes = Number(process.env['THREADKEEPER_BENCH_MB'] ?? (quick ? 10 : DEFAULT_MB));
  return inFolder(async (place) => {
    const [home, folder] = [path.join(place, 'home'), path.join(place, 'library')];
    await build();
    print(`sources: ${SESSIONS} sessions, ${megabytes} MB`);
    const newest = await fillHome(home, (megabytes * 1e6) / SESSIONS);
    const reports: SyncReport[] = [];
    const followMs = (thread: Thread): Promise<number> => cpuMs(async () => reports.push(await thread.follow()));
    const first = new Thread(folder, home);
    const firstMs = await followMs(first);
    const firstHeld = await first.end();

    const again = new Thread(folder, home);
    const unchangedMs = await followMs(again);
    const shown = await untilShown(again, newest);
    if (reports[0]?.read !== SESSIONS || reports[1]?.read !== 0) throw new Error('A sync did not read what it should.');
    const opened = await clockMs(() => search(again, QUERIES[0]!));
    const times: number[] = [];
    for (let run = 0; run < SEARCHES; run++)
      times.push(await clockMs(() => search(again, QUERIES[run % QUERIES.length]!)));
    const heldMs = Math.max(firstHeld, await again.end());
    return {
      figures: figuresOf(megabytes, {
        first: firstMs / 1000,
        heldMs,
        heapMb: Math.max(first.heapMb, again.heapMb),
        unchanged: unchangedMs / 1000,
        shown,
        opened,
        search: quantile(times, 0.95),
        ...(await sizes(folder)),
      }),
    };
  });
}

const QUERIES = [
  'which port does the staging server use',
  'decided database',
  'error failed to connect',
  'timeout retry',
  'config.ts export',
  'npm test failing',
  'preference indentation',
  'migraton schema',
  'deploy',
  'cache key expires',
];

async function search(thread: Thread, text: string): Promise<readonly ChatHit[]> {
  return thread.call('search', { text, limit: 30 });
}

/** Adds a line to a session and waits until the list shows it. Returns the time in ms. */
async function untilShown(thread: Thread, file: string): Promise<number> {
  const count = async (): Promise<number> =>
    (await thread.call<ChatList>('list')).chats.reduce((sum, { entry }) => sum + entry.messages, 0);
  const before = await count();
  return clockMs(async () => {
    await appendFile(file, lineOf({ role: 'user', text: 'One more thing.' }, 99_999));
    while ((await count()) === before) await new Promise((resolve) => setTimeout(resolve, 20));
  });
}

async function clockMs(work: () => Promise<unknown>): Promise<number> {
  const since = performance.now();
  await work();
  return performance.now() - since;
}

async function sizes(folder: string): Promise<{ readonly indexMb: number; readonly copiesMb: number }> {
  let [index, copies] = [0, 0];
  for (const name of await readdir(folder)) {
    const { size } = await stat(path.join(folder, name));
    if (name.endsWith('.index')) index += size / 1e6;
    if (name.endsWith('.gz')) copies += size / 1e6;
  }
  return { indexMb: index, copiesMb: copies };
}

interface Costs {
  readonly first: number;
  readonly heldMs: number;
  readonly heapMb: number;
  readonly unchanged: number;
  readonly shown: number;
  readonly opened: number;
  readonly search: number;
  readonly indexMb: number;
  readonly copiesMb: number;
}

function figuresOf(megabytes: number, costs: Costs): Figure[] {
  const of = `${SESSIONS} sessions of other tools, ${megabytes} MB`;
  const at = (id: string, label: string, value: number, unit: Figure['unit'], atMost?: number): Figure =>
    figure(`speed.sources.${id}`, label, value, unit, { ...(atMost !== undefined && { target: { atMost } }) });
  return [
    at('first', `CPU time of the first pass over ${of}`, costs.first, 's', (60 * megabytes) / 1000),
    at('held', 'longest that the editor’s own thread is held meanwhile', costs.heldMs, 'ms', 50),
    at('heap', 'heap of the thread that reads, at its largest', costs.heapMb * 1024, 'KB', 300 * 1024),
    at('unchanged', 'CPU time of a start with nothing new', costs.unchanged, 's', 1),
    at('shown', 'until a line that a tool adds is in the view', costs.shown, 'ms', 2000),
    at('search', `search over them, p95 of ${SEARCHES}`, costs.search, 'ms', 100),
    at('search.first', 'the first search after a restart', costs.opened, 'ms'),
    at('index', 'index, of which at most 160 MB is in memory', costs.indexMb * 1000, 'KB'),
    at('copies', 'copies on disk', costs.copiesMb * 1000, 'KB'),
  ];
}

/** Realistic sessions of Claude Code with tool output. Returns the file of the last one. */
async function fillHome(home: string, bytes: number): Promise<string> {
  const messages = syntheticSession(2_000);
  let file = '';
  for (let session = 0; session < SESSIONS; session++) {
    file = path.join(home, `.claude/projects/-home-sam-${session % 20}/session-${session}.jsonl`);
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
  return `${JSON.stringify({ type, sessionId: 's', cwd: '/home/sam', timestamp, message: { id: `m${index}`, role: type, content } })}\n`;
}
