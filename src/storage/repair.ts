import type { FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import type { AppendFile } from './append-file.ts';
import type { JournalReader } from './journal-reader.ts';
import { copyDamaged, cutTornTail } from './set-aside.ts';

export interface Repair {
  readonly path: string;
  readonly file: FileHandle;
  /** Has read the file to its last complete line. */
  readonly reader: JournalReader;
  readonly append: AppendFile;
  /** Nobody else can still be writing, so the end of the file can be cut. */
  readonly alone: boolean;
  /** Milliseconds since the epoch, for the name of the file that takes a torn end. */
  readonly time: number;
}

/**
 * Sets aside what cannot be read, before a window begins to write, and says so in words for the user; undefined when
 * there is nothing that was not told before.
 */
export async function repairJournal({ path, file, reader, append, alone, time }: Repair): Promise<string | undefined> {
  const fresh = await copyDamaged(path, file, reader.damage);
  const tail = (await file.stat()).size - reader.offset;
  const parts: string[] = [];
  if (tail > 0 && alone) {
    if (await reader.lacksNewlineAlone(tail)) {
      await append.write(Buffer.from('\n'));
      await reader.readOn();
    } else {
      const copy = await cutTornTail(path, reader.offset, time);
      parts.push(
        `the last line was cut off while it was being written; its ${tail} bytes are kept in ${basename(copy)}`,
      );
    }
  }
  if (fresh.length > 0) {
    const lines = fresh.length === 1 ? '1 damaged line was' : `${fresh.length} damaged lines were`;
    parts.push(`${lines} set aside in ${basename(path)}.damaged`);
    const { missing } = reader;
    if (missing > 0) parts.push(`${missing === 1 ? '1 entry is' : `${missing} entries are`} missing`);
  }
  if (parts.length === 0) return undefined;
  return `This session's file was not whole: ${parts.join(', and ')}. Everything else was read.`;
}
