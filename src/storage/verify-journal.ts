import { open } from 'node:fs/promises';
import { decodeLine } from './journal-line.ts';
import { LineOrder, scanLines } from './journal-lines.ts';

export type Verification =
  | { readonly ok: true; readonly events: number }
  /** `line` counts from 1. */
  | { readonly ok: false; readonly line: number; readonly fault: string };

/**
 * Checks the checksum and the format of every line, and that the sequence numbers have no gaps, up to the first fault.
 * Lines that a window wrote after another one had become the writer are neither faults nor events. Rejects with the
 * file system's error if the file can't be read.
 */
export async function verifyJournal(path: string): Promise<Verification> {
  const file = await open(path, 'r');
  try {
    const order = new LineOrder();
    const writers = new Map<number, string>();
    let line = 0;
    let end = 0;
    let events = 0;
    for await (const { offset, length, text } of scanLines(file, 0)) {
      line++;
      end = offset + length + 1;
      const fault = (reason: string): Verification => ({ ok: false, line, fault: reason });
      if (text === undefined) return fault('the line is too long');
      if (text === '') continue;
      const decoded = decodeLine(text);
      if (decoded.kind === 'bad') return fault(decoded.reason);
      if (decoded.kind === 'newer') return fault(`written by a newer version of the format (${decoded.version})`);
      const { seq, writer } = decoded.envelope;
      const expected = order.last + 1;
      const verdict = order.classify(seq, writer, decoded.sum);
      if (verdict === 'gap') return fault(`sequence number ${seq} where ${expected} was expected`);
      if (verdict === 'repeat' || verdict === 'late') return fault(`duplicate sequence number ${seq}`);
      if (verdict === 'overtaken') {
        if (writers.get(seq) === writer) return fault(`duplicate sequence number ${seq} with different content`);
        continue;
      }
      writers.set(seq, writer);
      events++;
    }
    const torn = (await file.stat()).size - end;
    return torn > 0
      ? { ok: false, line: line + 1, fault: `the last line is incomplete (${torn} bytes)` }
      : { ok: true, events };
  } finally {
    await file.close();
  }
}
