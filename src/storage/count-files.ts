import { readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as v from 'valibot';
import type { CountStore } from '../app/ports.ts';
import { messageId } from '../core/model/ids.ts';

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const schema = v.object({
  encoding: v.string(),
  counts: v.array(
    v.union([
      v.tuple([v.pipe(v.string(), v.transform(messageId)), count]),
      v.tuple([v.pipe(v.string(), v.transform(messageId)), count, count]),
      v.tuple([v.pipe(v.string(), v.transform(messageId)), count, count, count]),
    ]),
  ),
});

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
        return parsed.success ? parsed.output : undefined;
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
