const SLOTS = 1 << 14;
const SLOT_BYTES = 32;

/**
 * Token counts of pieces that are no token themselves, as bytes in fixed slots: a newcomer takes the place of
 * whatever hashed to its slot. Half a megabyte at most, and nothing keeps a counted text alive (a Map's keys,
 * being slices of it, would).
 */
export class PieceCache {
  private readonly bytes = new Uint8Array(SLOTS * SLOT_BYTES);
  private readonly hashes = new Int32Array(SLOTS);
  private readonly lengths = new Uint8Array(SLOTS);
  private readonly counts = new Uint8Array(SLOTS);

  /** The count kept for `source[0, length)`, or 0. */
  get(source: Uint8Array, length: number, hash: number): number {
    const slot = hash & (SLOTS - 1);
    if (this.hashes[slot] !== hash || this.lengths[slot] !== length) return 0;
    const at = slot * SLOT_BYTES;
    for (let i = 0; i < length; i++) if (this.bytes[at + i] !== source[i]) return 0;
    return this.counts[slot]!;
  }

  set(source: Uint8Array, length: number, hash: number, count: number): void {
    if (length > SLOT_BYTES) return;
    const slot = hash & (SLOTS - 1);
    const at = slot * SLOT_BYTES;
    for (let i = 0; i < length; i++) this.bytes[at + i] = source[i]!;
    this.hashes[slot] = hash;
    this.lengths[slot] = length;
    this.counts[slot] = count;
  }
}
