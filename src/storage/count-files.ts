import { readFile } from 'node:fs/promises';
import path from 'node:path';
import * as v from 'valibot';
import type { CountStore } from '../app/ports.ts';
import type { MessageId } from '../core/model/ids.ts';
import { errorCode } from '../core/text/error-details.ts';
import { nativeChecksum } from './checksum.ts';
import { replaceFile } from './disk-errors.ts';

/** Tokens are 32-bit numbers in Base64, little-endian. */
const schema = v.object({
  v: v.literal(3),
  encoding: v.string(),
  messages: v.pipe(v.number(), v.integer(), v.minValue(0)),
  tokens: v.string(),
  /** Checksum of the tokens and of the IDs of their messages, which are only in the journal. */
  sum: v.string(),
});

const sumOf = (ids: readonly MessageId[], tokens: string): string => nativeChecksum([...ids, tokens].join('\n'));

/** Stores token counts next to the journals. Without a valid file, messages are only counted again. */
export function countFiles(folder: string, warn: (message: string) => void): CountStore {
  const file = (id: string): string => path.join(folder, `${id}.counts.json`);
  return {
    async load(id, messages) {
      try {
        const { success, output } = v.safeParse(schema, JSON.parse(await readFile(file(id), 'utf8')));
        if (!success || sumOf(messages.slice(0, output.messages), output.tokens) !== output.sum) return undefined;
        // Copied, because a pooled buffer may start at any offset.
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
        const content = { v: 3, encoding, messages: messages.length, tokens, sum: sumOf(messages, tokens) };
        await replaceFile(file(id), JSON.stringify(content));
      } catch (error) {
        warn(`The token counts of session ${id} could not be saved: ${String(error)}`);
      }
    },
  };
}
