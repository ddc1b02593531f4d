import type { Role } from '../model/message.ts';
import type { TranscriptMessage } from '../transcript/transcript-message.ts';
import { textHash } from '../text/hash.ts';
import { passagesOf, visitWords } from '../text/words.ts';
import { firstIndexWhere } from './binary-search.ts';

/** Of long tool output, only beginning and end are indexed (UTF-16 units): what the tool did and how it ended. */
const MAX_TOOL_HEAD = 3_000;
const MAX_TOOL_TAIL = 1_000;
/** A posting is passage × 8 + occurrences. More than 7 occurrences hardly change a score. */
const POSTING_UNIT = 8;
/** Postings are deltas as variable-length integers, seven bits per byte. This bit is set if another byte follows. */
const CONTINUATION_BIT = 0x80;
const MAX_PASSAGE_WORDS = 0xffff;

/** Stored blocks contain indexes into this list, so its order must not change. */
export const STORED_ROLES: readonly Role[] = ['user', 'assistant', 'tool', 'system'];

/** An inverted index of consecutive messages in flat arrays, which are small in memory and stored unchanged. */
export interface IndexBlock {
  readonly messages: number;
  readonly words: number;
  /** For each passage, the index of its message in the block. */
  readonly owners: Uint32Array;
  /** For each passage, its number of words. */
  readonly lengths: Uint16Array;
  /** For each message, a 32-bit hash by which copies of a chat are recognized. */
  readonly fingerprints: Uint32Array;
  /** For each message, an index into `STORED_ROLES`. */
  readonly roles: Uint8Array;
  /** The sorted words in UTF-16, concatenated. */
  readonly text: Uint16Array;
  /** For each word, its end in `text`. */
  readonly wordEnds: Uint32Array;
  /** For each word, the end of its postings in `postings`. */
  readonly postingEnds: Uint32Array;
  readonly postings: Uint8Array;
}

/** Messages for which `isSearched` returns false have no words in the block, so they are never found. */
export function indexBlockOf<Message extends Pick<TranscriptMessage, 'role' | 'text' | 'at'>>(
  messages: readonly Message[],
  isSearched: (message: Message) => boolean = () => true,
): IndexBlock {
  const postings = new Map<string, number[]>();
  const owners: number[] = [];
  const wordCounts: number[] = [];
  const roles = new Uint8Array(messages.length);
  const fingerprints = new Uint32Array(messages.length);
  for (const [index, message] of messages.entries()) {
    const { role, text, at } = message;
    roles[index] = STORED_ROLES.indexOf(role);
    fingerprints[index] = fingerprint(at, role, text);
    if (!isSearched(message)) continue;
    for (const content of indexedPassages(role, text)) {
      const passage = owners.length;
      let length = 0;
      visitWords(content, (word) => {
        length++;
        const list = postings.get(word);
        if (!list) postings.set(word, [passage * POSTING_UNIT + 1]);
        else if (Math.floor(list.at(-1)! / POSTING_UNIT) < passage) list.push(passage * POSTING_UNIT + 1);
        else if (list.at(-1)! % POSTING_UNIT < POSTING_UNIT - 1) list[list.length - 1]!++;
      });
      owners.push(index);
      wordCounts.push(Math.min(length, MAX_PASSAGE_WORDS));
    }
  }
  const lengths = Uint16Array.from(wordCounts);
  return {
    messages: messages.length,
    words: sum(lengths),
    owners: Uint32Array.from(owners),
    lengths,
    roles,
    fingerprints,
    ...flatten(postings),
  };
}

const sum = (lengths: Uint16Array): number => lengths.reduce((words, length) => words + length, 0);

const fingerprint = (at: number | undefined, role: Role, text: string): number =>
  Number.parseInt(textHash([role, String(at), text]).slice(-8), 16);

const indexedPassages = (role: Role, text: string): Iterable<string> =>
  role === 'tool' && text.length > MAX_TOOL_HEAD + MAX_TOOL_TAIL
    ? [text.slice(0, MAX_TOOL_HEAD), text.slice(-MAX_TOOL_TAIL)]
    : passagesOf(text);

function flatten(postings: ReadonlyMap<string, readonly number[]>) {
  const words = [...postings.keys()].sort();
  const text = new Uint16Array(words.reduce((sum, { length }) => sum + length, 0));
  const wordEnds = new Uint32Array(words.length);
  const postingEnds = new Uint32Array(words.length);
  const bytes: number[] = [];
  let at = 0;
  for (const [index, word] of words.entries()) {
    wordEnds[index] = at = putUnits(text, at, word);
    let passage = 0;
    for (const posting of postings.get(word)!) {
      let remainder = posting - passage * POSTING_UNIT;
      for (; remainder >= CONTINUATION_BIT; remainder = Math.floor(remainder / CONTINUATION_BIT))
        bytes.push((remainder % CONTINUATION_BIT) + CONTINUATION_BIT);
      bytes.push(remainder);
      passage = Math.floor(posting / POSTING_UNIT);
    }
    postingEnds[index] = bytes.length;
  }
  return { text, wordEnds, postingEnds, postings: Uint8Array.from(bytes) };
}

/** The indexes of the words that begin with a prefix, from `start` to `end` (exclusive). */
export function prefixRange(block: IndexBlock, prefix: string): { readonly start: number; readonly end: number } {
  return { start: firstAtOrAfter(block, prefix, false), end: firstAtOrAfter(block, prefix, true) };
}

export function indexOfWord(block: IndexBlock, word: string): number | undefined {
  const at = firstAtOrAfter(block, word, false);
  return at < block.wordEnds.length && wordAt(block, at) === word ? at : undefined;
}

export function wordAt({ text, wordEnds }: IndexBlock, index: number): string {
  return unitsOf(text.subarray(index === 0 ? 0 : wordEnds[index - 1], wordEnds[index]));
}

/** Number of passages that contain a word. */
export function frequencyAt(block: IndexBlock, index: number): number {
  let count = 0;
  visitPostings(block, index, () => count++);
  return count;
}

/** Visits the passages that contain a word, with the number of occurrences. */
export function visitPostings(
  { postings, postingEnds }: IndexBlock,
  index: number,
  visit: (passage: number, times: number) => void,
): void {
  let passage = 0;
  let [value, scale] = [0, 1];
  for (let at = index === 0 ? 0 : postingEnds[index - 1]!; at < postingEnds[index]!; at++) {
    const byte = postings[at]!;
    value += (byte % CONTINUATION_BIT) * scale;
    if (byte >= CONTINUATION_BIT) {
      scale *= CONTINUATION_BIT;
      continue;
    }
    passage += Math.floor(value / POSTING_UNIT);
    visit(passage, value % POSTING_UNIT);
    [value, scale] = [0, 1];
  }
}

function putUnits(units: Uint16Array, from: number, text: string): number {
  for (let at = 0; at < text.length; at++) units[from + at] = text.charCodeAt(at);
  return from + text.length;
}

/** Converts UTF-16 units to a string, in chunks because `fromCharCode` takes each unit as an argument. */
function unitsOf(units: Uint16Array): string {
  let text = '';
  for (let at = 0; at < units.length; at += 8192) {
    text += String(Reflect.apply(String.fromCharCode, undefined, units.subarray(at, at + 8192)));
  }
  return text;
}

/** The index of the first word that begins with or sorts after the prefix; with `afterMatches`, that sorts after it. */
const firstAtOrAfter = (block: IndexBlock, prefix: string, afterMatches: boolean): number =>
  firstIndexWhere(block.wordEnds.length, (index) => compareAt(block, index, prefix) >= (afterMatches ? 1 : 0));

/** Negative if the word sorts before the prefix, 0 if it begins with the prefix, positive if it sorts after it. */
function compareAt({ text, wordEnds }: IndexBlock, index: number, prefix: string): number {
  const [from, to] = [index === 0 ? 0 : wordEnds[index - 1]!, wordEnds[index]!];
  for (let at = 0; at < prefix.length; at++) {
    if (from + at === to) return -1;
    const difference = text[from + at]! - prefix.charCodeAt(at);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The arrays of a block, in the order in which they are stored. */
const SECTIONS = {
  lengths: Uint16Array,
  roles: Uint8Array,
  text: Uint16Array,
  postings: Uint8Array,
  owners: Uint32Array,
  wordEnds: Uint32Array,
  postingEnds: Uint32Array,
  fingerprints: Uint32Array,
} as const;
type Sections = { readonly [Name in keyof typeof SECTIONS]: InstanceType<(typeof SECTIONS)[Name]> };
const SECTION_NAMES = Object.keys(SECTIONS) as readonly (keyof Sections)[];
/** Alignment of each array in bytes, because a typed array's offset must be a multiple of its element size. */
const ALIGNMENT = 8;
const aligned = (bytes: number): number => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;

/** Encodes a block with `about`, additional data about its messages that must be serializable as JSON. */
export function encodeBlock(block: IndexBlock, about: unknown): Uint8Array {
  const sizes = SECTION_NAMES.map((name) => block[name].byteLength);
  const head = JSON.stringify({ messages: block.messages, sizes, about });
  const start = aligned(ALIGNMENT + head.length * 2);
  const bytes = new Uint8Array(sizes.reduce((sum, size) => sum + aligned(size), start));
  new DataView(bytes.buffer).setUint32(0, bytes.length, true);
  new DataView(bytes.buffer).setUint32(4, head.length, true);
  putUnits(new Uint16Array(bytes.buffer), ALIGNMENT / 2, head);
  let at = start;
  for (const [index, name] of SECTION_NAMES.entries()) {
    const { buffer, byteOffset, byteLength } = block[name];
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), at);
    at += aligned(sizes[index]!);
  }
  return bytes;
}

/** Decodes consecutive blocks. Throws if the bytes are invalid. */
export function decodeBlocks(bytes: Uint8Array): { readonly block: IndexBlock; readonly about: unknown }[] {
  // `bytes` may start at any offset of a larger buffer.
  const whole = bytes.byteOffset % ALIGNMENT === 0 ? bytes : Uint8Array.from(bytes);
  const { byteOffset } = whole;
  // The bytes are never in a `SharedArrayBuffer`.
  const buffer = whole.buffer as ArrayBuffer;
  const blocks = [];
  for (let start = 0; start < whole.length;) {
    const view = new DataView(buffer, byteOffset + start);
    const [length, headLength] = [view.getUint32(0, true), view.getUint32(4, true)];
    if (length === 0 || start + length > whole.length) throw new RangeError('the index is cut off');
    const head: unknown = JSON.parse(unitsOf(new Uint16Array(buffer, byteOffset + start + ALIGNMENT, headLength)));
    const { messages, sizes, about } = head as { messages: number; sizes: readonly number[]; about: unknown };
    let at = byteOffset + start + aligned(ALIGNMENT + headLength * 2);
    const sections = SECTION_NAMES.map((name, index) => {
      const Section = SECTIONS[name];
      const size = sizes[index] ?? 0;
      const section = new Section(buffer, at, size / Section.BYTES_PER_ELEMENT);
      at += aligned(size);
      return [name, section] as const;
    });
    const arrays = Object.fromEntries(sections) as unknown as Sections;
    blocks.push({ block: { messages, words: sum(arrays.lengths), ...arrays }, about });
    start += length;
  }
  return blocks;
}
