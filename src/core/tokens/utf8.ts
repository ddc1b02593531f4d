/**
 * Writes `text[start, end)` (UTF-16 offsets) as UTF-8 into `target`, which must hold three bytes a unit.
 * An unpaired surrogate becomes U+FFFD, as in the Encoding Standard. Written out because `core` has no TextEncoder.
 *
 * @returns how many bytes were written
 */
export function writeUtf8(text: string, start: number, end: number, target: Uint8Array): number {
  let used = 0;
  for (let at = start; at < end; at++) {
    let code = text.charCodeAt(at);
    if (code < 0x80) {
      target[used++] = code;
      continue;
    }
    if (code < 0x800) {
      target[used++] = 0xc0 | (code >> 6);
      target[used++] = 0x80 | (code & 63);
      continue;
    }
    if ((code & 0xf800) === 0xd800) {
      const next = at + 1 < end ? text.charCodeAt(at + 1) : 0;
      if (code < 0xdc00 && (next & 0xfc00) === 0xdc00) {
        at++;
        code = 0x10000 + ((code & 0x3ff) << 10) + (next & 0x3ff);
        target[used++] = 0xf0 | (code >> 18);
        target[used++] = 0x80 | ((code >> 12) & 63);
        target[used++] = 0x80 | ((code >> 6) & 63);
        target[used++] = 0x80 | (code & 63);
        continue;
      }
      code = 0xfffd;
    }
    target[used++] = 0xe0 | (code >> 12);
    target[used++] = 0x80 | ((code >> 6) & 63);
    target[used++] = 0x80 | (code & 63);
  }
  return used;
}
