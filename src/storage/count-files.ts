import { readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as v from 'valibot';
import type { CountStore } from '../app/ports.ts';
import type { MessageId } from '../core/model/ids.ts';
import { nativeChecksum } from './checksum.ts';

const BYTES = Uint32Array.BYTES_PER_ELEMENT;

/**
 * What stands in the file. The columns are 32-bit numbers in Base64, in the byte order of every processor that the
 * editor runs on. The ids of the messages stand in the journal already: `sum` says whose rows these are.
 */
const schema = v.object({
  v: v.literal(2),
  encoding: v.string(),
  rows: v.pipe(v.number(), v.integer(), v.minValue(0)),
  body: v.string(),
  attachments: v.string(),
  cjk: v.string(),
  /** Checksum of the messages' ids and the columns. */
  sum: v.string(),
});
type CountFile = v.InferOutput<typeof schema>;
type Texts = Pick<CountFile, 'body' | 'attachments' | 'cjk'>;

const sumOf = (ids: readonly MessageId[], { body, attachments, cjk }: Texts): string =>
  nativeChecksum([...ids, body, attachments, cjk].join('\n'));

const toText = (column: Uint32Array): string =>
  Buffer.from(column.buffer, column.byteOffset, column.byteLength).toString('base64');

function toColumn(text: string): Uint32Array {
  // A copy of its own, as a buffer from the pool may begin anywhere.
  const bytes = new Uint8Array(Buffer.from(text, 'base64'));
  return new Uint32Array(bytes.buffer, 0, Math.floor(bytes.length / BYTES));
}

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
        if (!success || sumOf(messages.slice(0, output.rows), output) !== output.sum) return undefined;
        const { encoding, body, attachments, cjk } = output;
        return { encoding, body: toColumn(body), attachments: toColumn(attachments), cjk: toColumn(cjk) };
      } catch (error) {
        if (!isMissing(error)) warn(`The token counts of session ${id} could not be read: ${String(error)}`);
        return undefined;
      }
    },
    async save(id, messages, { encoding, ...columns }) {
      const temporary = `${file(id)}.${process.pid}.new`;
      try {
        const { body, attachments, cjk } = columns;
        const texts = { body: toText(body), attachments: toText(attachments), cjk: toText(cjk) };
        const kept: CountFile = { v: 2, encoding, rows: messages.length, ...texts, sum: sumOf(messages, texts) };
        await writeFile(temporary, JSON.stringify(kept));
        await rename(temporary, file(id));
      } catch (error) {
        warn(`The token counts of session ${id} could not be saved: ${String(error)}`);
      }
    },
  };
}

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';
