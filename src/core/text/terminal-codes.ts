/**
 * Control sequences of terminals (ECMA-48): with parameters, such as colors; strings, such as window titles, links, and
 * images; and sequences of two characters. Never spans lines. Linear, because a string ends before the next escape
 * character.
 */
const CODE = /\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b\x9c\r\n]*(?:\x07|\x1b\\|\x9c)|[ -/]*[0-~]|)/g;

const hasCode = (text: string): boolean => text.includes('\x1b');

/** Replaces terminal control sequences by spaces, so that they aren't read as words and all offsets stay the same. */
export const blankTerminalCodes = (text: string): string =>
  hasCode(text) ? text.replace(CODE, ({ length }) => ' '.repeat(length)) : text;

/** Removes terminal control sequences from a text that is shown or quoted. */
export const withoutTerminalCodes = (text: string): string => (hasCode(text) ? text.replace(CODE, '') : text);

/** The offset in a text of each character that `withoutTerminalCodes` leaves. */
export function offsetsWithoutTerminalCodes(text: string): Uint32Array {
  const offsets = new Uint32Array(text.length);
  let count = 0;
  let from = 0;
  for (const { 0: code, index } of text.matchAll(CODE)) {
    while (from < index) offsets[count++] = from++;
    from += code.length;
  }
  while (from < text.length) offsets[count++] = from++;
  return offsets;
}
