import type { FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import { phrase, type Phrase } from '../core/text/phrase.ts';
import type { AppendFile } from './append-file.ts';
import type { JournalReader } from './journal-reader.ts';
import { copyDamaged, cutTornTail, noteMissing } from './set-aside.ts';

export interface Repair {
  readonly path: string;
  readonly file: FileHandle;
  /** Has read the file to its last complete line. */
  readonly reader: JournalReader;
  readonly append: AppendFile;
  /** Entries at the file's end are gone without a trace. */
  readonly shorter: boolean;
  /** Nobody else can still be writing, so the end of the file can be cut. */
  readonly alone: boolean;
  /** Milliseconds since the epoch, for the name of the file that takes a torn end. */
  readonly time: number;
}

/**
 * Sets aside what cannot be read, before a window begins to write, and says so in words for the user; undefined when
 * there is nothing that was not told before.
 */
export async function repairJournal(repair: Repair): Promise<Phrase | undefined> {
  const { path, file, reader, shorter, append, alone, time } = repair;
  const fresh = await copyDamaged(path, file, reader.damage);
  const tail = (await file.stat()).size - reader.offset;
  const parts: Phrase[] = [];
  if (tail > 0 && alone) {
    if (await reader.lacksNewlineAlone(tail)) {
      await append.write(Buffer.from('\n'));
      await reader.readOn();
    } else {
      const copy = await cutTornTail(path, reader.offset, time);
      parts.push(phrase('the last line was only partly written and was moved to {0}', basename(copy)));
    }
  }
  if (fresh.length > 0) {
    const aside = `${basename(path)}.damaged`;
    parts.push(
      fresh.length === 1
        ? phrase('1 damaged line was moved to {0}', aside)
        : phrase('{0} damaged lines were moved to {1}', fresh.length, aside),
    );
  }
  const { missing } = reader;
  if (missing > 0 && (await noteMissing(path, missing)))
    parts.push(missing === 1 ? phrase('1 entry is missing') : phrase('{0} entries are missing', missing));
  else if (shorter) parts.push(phrase('entries at its end are missing'));
  if (parts.length === 0) return undefined;
  const all = parts.reduce((before, part) => phrase('{0}; {1}', before, part));
  return phrase('The session file was damaged: {0}. Everything else was recovered.', all);
}
