import { open } from 'node:fs/promises';
import { decodeLine } from '../core/journal/envelope.ts';
import { nativeChecksum } from './checksum.ts';
import { LineOrder } from './line-order.ts';
import { scanLines } from './line-scanner.ts';

export type Verification =
  | { readonly ok: true; readonly events: number }
  /** `line` counts from 1. */
  | { readonly ok: false; readonly line: number; readonly fault: string };

/**
 * Checks every line's checksum and shape and that the sequence runs from 1 without gaps, and stops at the first fault.
 * Lines that a window wrote after it had lost the journal to another one are no fault and no events. Rejects with
 * the file system's error when the file cannot be read.
 */
export async function verifyJournal(path: string): Promise<Verification> {
  const file = await open(path, 'r');
  try {
    const order = new LineOrder();
    const writers = new Map<number, string>();
    let line = 0;
    let end = 0;
    let events = 0;
    for await (const lines of scanLines(file, 0)) {
      for (const raw of lines) {
        line++;
        end = raw.offset + raw.length + 1;
        const fault = (reason: string): Verification => ({ ok: false, line, fault: reason });
        const text = raw.bytes?.toString();
        if (text === undefined) return fault('the line is too long');
        if (text === '') continue;
        const decoded = decodeLine(text, nativeChecksum);
        if (decoded.kind === 'bad') return fault(decoded.reason);
        if (decoded.kind === 'newer') return fault(`written by a newer version of the format (${decoded.version})`);
        const { seq, writer } = decoded.envelope;
        const expected = order.last + 1;
        switch (order.judge(seq, writer, decoded.sum)) {
          case 'next':
            writers.set(seq, writer);
            events++;
            break;
          case 'gap':
            return fault(`sequence number ${seq} where ${expected} was expected`);
          case 'repeat':
          case 'late':
            return fault(`duplicate sequence number ${seq}`);
          case 'overtaken':
            if (writers.get(seq) === writer) return fault(`duplicate sequence number ${seq} with different content`);
            break;
        }
      }
    }
    const torn = (await file.stat()).size - end;
    return torn > 0
      ? { ok: false, line: line + 1, fault: `the last line is incomplete (${torn} bytes)` }
      : { ok: true, events };
  } finally {
    await file.close();
  }
}
