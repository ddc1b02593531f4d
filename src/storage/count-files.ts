import { readFile } from 'node:fs/promises';
import path from 'node:path';
import * as v from 'valibot';
import type { CountStore } from '../app/ports.ts';
import type { MessageId } from '../core/model/ids.ts';
import { nativeChecksum } from './checksum.ts';
import { errorCode, replaceFile } from './disk-errors.ts';

/**
 * What stands in the file. The tokens are 32-bit numbers in Base64, in the byte order of every processor that the
 * editor runs on. The ids of the messages stand in the journal already: `sum` says whose counts these are.
 */
const schema = v.object({
  v: v.literal(3),
  encoding: v.string(),
  messages: v.pipe(v.number(), v.integer(), v.minValue(0)),
  tokens: v.string(),
  /** Checksum of the messages' ids and the tokens. */
  sum: v.string(),
});

const sumOf = (ids: readonly MessageId[], tokens: string): string => nativeChecksum([...ids, tokens].join('\n'));

/**
 * Token counts as `<session>.counts.json` beside the journals. They can be made again from the journal, so a file
 * that is missing, broken, of other messages or cannot be written changes nothing but the time that opening takes.
 */
export function countFiles(folder: string, warn: (message: string) => void): CountStore {
  const file = (id: string): string => path.join(folder, `${id}.counts.json`);
  return {
    async load(id, messages) {
      try {
        const { success, output } = v.safeParse(schema, JSON.parse(await readFile(file(id), 'utf8')));
        if (!success || sumOf(messages.slice(0, output.messages), output.tokens) !== output.sum) return undefined;
        // A copy of its own, as a buffer from the pool may begin anywhere.
        const { buffer } = new Uint8Array(Buffer.from(output.tokens, 'base64'));
        return { encoding: output.encoding, tokens: new Uint32Array(buffer) };
      } catch (error) {
        if (errorCode(error) !== 'ENOENT')
          warn(`The token counts of session ${id} could not be read: ${String(error)}`);
        return undefined;
      }
    },
    async save(id, messages, counts) {
      try {
        const { buffer, byteOffset, byteLength } = counts.tokens;
        const tokens = Buffer.from(buffer, byteOffset, byteLength).toString('base64');
        const { encoding } = counts;
        const kept = { v: 3, encoding, messages: messages.length, tokens, sum: sumOf(messages, tokens) };
        await replaceFile(file(id), JSON.stringify(kept));
      } catch (error) {
        warn(`The token counts of session ${id} could not be saved: ${String(error)}`);
      }
    },
  };
}
