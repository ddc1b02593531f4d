/** Longer pieces are rarer than they are worth: four bytes to a word, three words to a slot. */
export const COMMON_PIECE_BYTES = 12;

const WORDS = 3;
const SLOT_WORDS = WORDS + 1;
const SLOTS = 1 << 13;
const COUNT_BITS = 8;

/**
 * Token counts of the short pieces of ASCII that a text is mostly made of. A look into the vocabulary's table touches
 * four places of some megabytes, which no processor keeps at hand; this one touches a single line of 128 kB. A newcomer
 * takes the place of whatever hashed to its slot.
 */
export class CommonPieces {
  private readonly slots = new Int32Array(SLOTS * SLOT_WORDS);

  /** The count kept for a piece of so many bytes, zero-filled to three words, or 0. */
  get(words: Int32Array, length: number, hash: number): number {
    const { slots } = this;
    const at = (hash & (SLOTS - 1)) * SLOT_WORDS;
    const kept = slots[at + WORDS]!;
    return kept >> COUNT_BITS === length &&
      slots[at] === words[0] &&
      slots[at + 1] === words[1] &&
      slots[at + 2] === words[2]
      ? kept & ((1 << COUNT_BITS) - 1)
      : 0;
  }

  set(words: Int32Array, length: number, hash: number, count: number): void {
    const { slots } = this;
    const at = (hash & (SLOTS - 1)) * SLOT_WORDS;
    slots[at] = words[0]!;
    slots[at + 1] = words[1]!;
    slots[at + 2] = words[2]!;
    slots[at + WORDS] = (length << COUNT_BITS) | count;
  }
}
