import { readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as v from 'valibot';
import type { CountStore } from '../app/ports.ts';
import { messageId } from '../core/model/ids.ts';
import type { StoredCounts } from '../core/tokens/message-counts.ts';

const schema = v.object({ encoding: v.string(), counts: v.array(v.unknown()) });

/**
 * `[id, body, attachments?, cjk?]`. Checked by hand: a long session has tens of thousands of them, and reading them
 * again must cost next to nothing beside counting.
 */
function isCount(value: unknown): value is readonly [string, ...number[]] {
  if (!Array.isArray(value) || value.length < 2 || value.length > 4 || typeof value[0] !== 'string') return false;
  for (let at = 1; at < value.length; at++) if (!Number.isSafeInteger(value[at]) || Number(value[at]) < 0) return false;
  return true;
}

/** What is not a count is left out, and its message counted anew. */
function toCounts(values: readonly unknown[]): StoredCounts['counts'] {
  return values
    .filter(isCount)
    .map(([id, body = 0, attachments = 0, cjk = 0]) => [messageId(id), body, attachments, cjk] as const);
}

/**
 * Token counts as `<session>.counts.json` beside the journals. They can be made again from the journal, so a file
 * that is missing, broken or cannot be written is noted and otherwise changes nothing.
 */
export function countFiles(folder: string, warn: (message: string) => void): CountStore {
  const file = (id: string): string => path.join(folder, `${id}.counts.json`);
  return {
    async load(id) {
      try {
        const parsed = v.safeParse(schema, JSON.parse(await readFile(file(id), 'utf8')));
        return parsed.success
          ? { encoding: parsed.output.encoding, counts: toCounts(parsed.output.counts) }
          : undefined;
      } catch (error) {
        if (!isMissing(error)) warn(`The token counts of session ${id} could not be read: ${String(error)}`);
        return undefined;
      }
    },
    async save(id, counts) {
      const temporary = `${file(id)}.${process.pid}.new`;
      try {
        await writeFile(temporary, JSON.stringify(counts));
        await rename(temporary, file(id));
      } catch (error) {
        warn(`The token counts of session ${id} could not be kept: ${String(error)}`);
      }
    },
  };
}

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';
