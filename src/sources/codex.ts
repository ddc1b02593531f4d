import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Source } from '../app/library/source.ts';
import { phrase } from '../core/text/phrase.ts';
import { textAt, tryParse, valueAt } from '../core/text/json-value.ts';
import { CodexImporter } from '../core/transcript/codex.ts';
import type { TranscriptSink } from '../core/transcript/transcript-message.ts';
import { columnText, type Databases } from './sqlite-databases.ts';
import { toolFolder, type Home } from './home-folders.ts';
import { fieldsOf, ifExists, readOptionalText } from './read-files.ts';
import { createSource } from './session-finder.ts';
import { readFirstLine, readRecords, type FilePart } from './read-records.ts';

/** `rollout-<time>-<thread>.jsonl`, with the ID of a revision if the user went back, and `.zst` if it's compressed. */
const ROLLOUT_NAME = /^rollout-.*\.jsonl(?:\.zst)?$/;
const THREAD_ID = /([0-9a-f]{8}-[0-9a-f-]{27})(?:_[0-9a-f-]{36})?\.jsonl(?:\.zst)?$/;

const STATE_NAME = /^state(?:_\d+)?\.sqlite$/;
const stateVersion = (file: string): number => Number(/_(\d+)\.sqlite$/.exec(file)?.[1] ?? 0);

/** Maximum number of files that a forked session continues, one after another. */
const MAX_PARTS = 100;

/**
 * `~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`, before August 2025 without subfolders. Archived sessions are in
 * `archived_sessions`. Since 2026, a forked session continues the beginning of another session's file. Names of threads
 * are in `session_index.jsonl`, and since 2026 in `state_<version>.sqlite`.
 */
export function codex(home: Home, databases: Databases): Source {
  const root = toolFolder(home, 'CODEX_HOME', '.codex');
  const filesOfThread = new Map<string, string[]>();
  return createSource(
    'codex',
    async (finder) => {
      filesOfThread.clear();
      const indexed = await readTitles(path.join(root, 'session_index.jsonl'));
      const stored = { name: new Map<string, string>(), title: new Map<string, string>() };
      const states = await finder.findFiles(home.env['CODEX_SQLITE_HOME'] || root, (name) => STATE_NAME.test(name));
      for (const file of states.toSorted((a, b) => stateVersion(a) - stateVersion(b)))
        await finder.attempt(file, () => addNames(stored, databases, file));
      const titleOf = (id: string): string | undefined =>
        stored.name.get(id) ?? indexed.get(id) ?? stored.title.get(id);
      for (const folder of ['sessions', 'archived_sessions']) {
        const found = await finder.findFiles(path.join(root, folder), (name) => ROLLOUT_NAME.test(name), 3);
        const names = new Set(found);
        for (const file of found) {
          // While a file is being compressed or decompressed, it exists twice.
          if (file.endsWith('.zst') && names.has(file.slice(0, -'.zst'.length))) continue;
          const id = THREAD_ID.exec(path.basename(file))?.[1];
          if (id !== undefined) filesOfThread.set(id, [...(filesOfThread.get(id) ?? []), file]);
          await finder.addFile(file, id === undefined ? {} : { id, title: titleOf(id) });
        }
      }
    },
    async (file, sink, from) => {
      const before = await inheritedParts(file.path, filesOfThread, sink);
      return readRecords(file, sink, (to, resumed) => new CodexImporter(to, resumed), from, before);
    },
  );
}

/** The names of threads. A later line replaces earlier ones of the same thread. */
async function readTitles(file: string): Promise<ReadonlyMap<string, string>> {
  const titles = new Map<string, string>();
  for (const line of (await readOptionalText(file)).split('\n')) {
    const record = tryParse(line);
    const [id, name] = [textAt(record, 'id'), textAt(record, 'thread_name')?.trim()];
    if (id !== undefined && name) titles.set(id, name);
  }
  return titles;
}

/** Adds the names in a database. Without a column `name`, a thread's title is its name if it isn't the first prompt. */
async function addNames(
  names: Readonly<Record<'name' | 'title', Map<string, string>>>,
  databases: Databases,
  file: string,
): Promise<void> {
  const database = await databases.open(file);
  const columns = database.columns('threads');
  const column = columns.has('name') ? 'name' : 'title';
  // The first versions of the database lack the prompt, so names can't be distinguished from it.
  if (!columns.has(column) || (column === 'title' && !columns.has('first_user_message'))) return;
  const condition = column === 'name' ? "trim(name) <> ''" : "trim(title) NOT IN ('', trim(first_user_message))";
  for (const row of database.rows(`SELECT id, ${column} AS name FROM threads WHERE ${condition}`))
    names[column].set(String(row['id']), columnText(row['name']) ?? '');
}

/** The beginnings of the files that a forked session's file continues, oldest first. */
async function inheritedParts(
  file: string,
  filesOfThread: ReadonlyMap<string, readonly string[]>,
  sink: TranscriptSink,
): Promise<readonly FilePart[]> {
  const parts: FilePart[] = [];
  const seen = new Set([file]);
  for (let next = file; parts.length < MAX_PARTS;) {
    const base = valueAt(tryParse((await readFirstLine(next)) ?? ''), 'payload', 'history_base');
    const [thread, end] = [textAt(base, 'thread_id'), valueAt(base, 'end_byte_offset')];
    if (thread === undefined || typeof end !== 'number') break;
    const candidates = (filesOfThread.get(thread) ?? []).filter((one) => !seen.has(one));
    const found = await baseFile(candidates, end, valueAt(base, 'end_ordinal_exclusive'));
    if (found === undefined) {
      sink.skip(phrase('message that no longer exists in the tool'));
      break;
    }
    parts.unshift({ path: found, end });
    seen.add(found);
    next = found;
  }
  return parts;
}

/** The newest file that is long enough and begins before the record with the number `endOrdinal`. */
async function baseFile(candidates: readonly string[], end: number, endOrdinal: unknown): Promise<string | undefined> {
  for (const file of candidates.toSorted((a, b) => path.basename(b).localeCompare(path.basename(a)))) {
    const isLong = file.endsWith('.zst') || ((await ifExists(stat(file)))?.size ?? 0) >= end;
    const { ordinal } = fieldsOf(tryParse((await readFirstLine(file)) ?? ''));
    const isBefore = typeof ordinal !== 'number' || typeof endOrdinal !== 'number' || ordinal < endOrdinal;
    if (isLong && isBefore) return file;
  }
  return undefined;
}
