/**
 * A hash of texts for change detection: 53 bits in hexadecimal (cyrb53 by bryc, public domain). A separator follows
 * each text, so that moving a boundary between texts changes the hash.
 */
export function textHash(texts: readonly string[]): string {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (const text of texts) {
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      high = Math.imul(high ^ unit, 2654435761);
      low = Math.imul(low ^ unit, 1597334677);
    }
    high = Math.imul(high ^ 0x10ffff, 2654435761);
    low = Math.imul(low ^ text.length, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return (4294967296 * (2097151 & low) + (high >>> 0)).toString(16).padStart(14, '0');
}
