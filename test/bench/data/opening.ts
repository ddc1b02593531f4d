import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { ContextMeter } from '../../../src/app/context-meter.ts';
import type { SessionDeps } from '../../../src/app/session-deps.ts';
import { NEVER_YIELDS } from '../../../src/core/pace/yielder.ts';
import { resolvePolicy } from '../../../src/core/policy/policy.ts';
import { loadEncoding } from '../../../src/core/tokens/token-counter.ts';
import { countFiles } from '../../../src/storage/count-files.ts';
import { FileSessionStore } from '../../../src/storage/session-store.ts';
import { readSnapshots } from '../../../src/storage/snapshot.ts';

/** A file in the folder of the journals that stands in for the state that VS Code stored in an earlier run. */
export const SESSION_LIST_FILE = 'remembered.json';
export const WORKSPACE = 'folder:file:///home/dev/shop';
/** Number of messages that the page shows at first. */
const SHOWN_MESSAGES = 60;

/** Opens a folder's newest session like the editor does at startup, or creates the first one. */
export async function openNewest(
  folder: string,
): Promise<{ readonly sessions: number; readonly messages: number; readonly shown: number; readonly tokens: number }> {
  const clock = { now: () => Date.now(), id: () => randomUUID(), yielder: NEVER_YIELDS };
  const state = await readFile(path.join(folder, SESSION_LIST_FILE), 'utf8').catch(() => '{}');
  const remembered = readSnapshots(JSON.parse(state));
  const store = new FileSessionStore({
    folder,
    clock,
    writer: randomUUID(),
    previousList: () => (remembered.kind === 'valid' ? remembered.snapshots.index : []),
  });
  const sessions = (await store.list()).filter((one) => one.workspace === WORKSPACE);
  const newest = sessions[0];
  const journal = newest ? await store.open(newest.id) : await store.create('', WORKSPACE);
  const meter = meterOf({
    journal,
    clock,
    counter: await loadEncoding('o200k_base'),
    countStore: countFiles(folder, () => undefined),
  });
  await meter.load();
  const { total } = meter.context();
  const shown = journal.state.path.slice(-SHOWN_MESSAGES).filter((id) => journal.state.messages.get(id));
  return { sessions: sessions.length, messages: journal.state.path.length, shown: shown.length, tokens: total };
}

/** The meter of a session, created like in the editor. */
export function meterOf(parts: Pick<SessionDeps, 'journal' | 'clock' | 'counter' | 'countStore'>): ContextMeter {
  const settings = {
    systemPrompt: '',
    memory: '',
    policy: resolvePolicy('balanced'),
    contextWindow: 128_000,
    reservedTokens: 4_000,
    temperature: undefined,
    extractiveOnFault: true,
    resetFinishedTask: true,
    recallShare: 0.1,
    countWithProvider: false,
  };
  return new ContextMeter({ ...parts, settings: () => settings, calibration: () => undefined });
}
