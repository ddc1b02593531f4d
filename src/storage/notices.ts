import { basename } from 'node:path';

export interface Opening {
  readonly torn: { readonly bytes: number; readonly path: string } | undefined;
  /** Damaged lines that were found for the first time. */
  readonly damaged: number;
  readonly copies: string;
  /** Sequence numbers that are in no line. */
  readonly missing: number;
}

/** What the user is told once after a journal with faults was opened; undefined when there was nothing new to say. */
export function openingNotice({ torn, damaged, copies, missing }: Opening): string | undefined {
  const parts: string[] = [];
  if (torn) {
    parts.push(
      `the last line was cut off while it was being written; its ${torn.bytes} bytes are kept in ${basename(torn.path)}`,
    );
  }
  if (damaged > 0) {
    const lines = damaged === 1 ? '1 damaged line was' : `${damaged} damaged lines were`;
    parts.push(`${lines} set aside in ${basename(copies)}`);
    if (missing > 0) parts.push(`${missing === 1 ? '1 entry is' : `${missing} entries are`} missing`);
  }
  if (parts.length === 0) return undefined;
  return `This session's file was not whole: ${parts.join(', and ')}. Everything else was read.`;
}
