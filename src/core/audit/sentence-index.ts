import { TermCursor } from '../compress/terms.ts';
import type { Span } from '../model/key-event.ts';
import { messageText, type Message } from '../model/message.ts';
import { wordOf } from './statement-words.ts';

/** A passage of a message: `message` is its index, offsets are UTF-16 units into its text. */
export interface StatementSource extends Span {
  readonly message: number;
}

/** A source sentence, with what it mentions. */
export interface SourceSentence extends StatementSource {
  readonly role: string;
  readonly text: string;
  readonly words: ReadonlySet<string>;
}

/** Sources named for a statement. */
const MOST_SOURCES = 3;

/** A sentence that is this much farther from the statement than the closest is no source of it. */
const NEAR = 0.5;

/** A sentence from here on is as close as the closest: who of them spoke is not told by their words. */
const NEARLY = 0.9;

/** A word that so many sentences hold tells nothing about where a statement comes from. */
const MOST_POSTINGS = 400;

/** The sentences of messages, looked up by word. */
export class SentenceIndex {
  private readonly sentences: SourceSentence[] = [];
  private readonly byWord = new Map<string, number[]>();
  private readonly texts: readonly string[];

  constructor(messages: readonly Pick<Message, 'role' | 'content'>[]) {
    this.texts = messages.map(messageText);
    for (const [message, text] of this.texts.entries()) {
      for (const { start, end } of statementsOf(text)) this.add(message, messages[message]!.role, text, start, end);
    }
  }

  private add(message: number, role: string, whole: string, start: number, end: number): void {
    const words = new Set<string>();
    const term = new TermCursor(whole, start, end);
    while (term.next()) {
      const word = wordOf(term.kind, whole.slice(term.start, term.end));
      if (word !== undefined) words.add(word);
    }
    if (words.size === 0) return;
    const at = this.sentences.length;
    this.sentences.push({ message, start, end, role, text: whole.slice(start, end), words });
    for (const word of words) {
      const postings = this.byWord.get(word);
      if (postings) postings.push(at);
      else this.byWord.set(word, [at]);
    }
  }

  knows(word: string): boolean {
    return this.byWord.has(word);
  }

  /** Whether a word, written with a capital letter, is written so wherever it stands: a name at a statement's start. */
  isName(word: string, written: string): boolean {
    const at = this.byWord.get(word);
    return at !== undefined && at.every((each) => this.sentences[each]!.text.includes(written));
  }

  /** Whether a word stands in or beside a sentence that has one of the others too. */
  standsWith(word: string, others: readonly string[]): boolean {
    return (this.byWord.get(word) ?? []).some((at) => {
      const message = this.sentences[at]!.message;
      for (const near of [at - 1, at, at + 1]) {
        const sentence = this.sentences[near];
        if (sentence?.message === message || (near === at - 1 && sentence && /[?？]$/.test(sentence.text)))
          if (others.some((other) => sentence.words.has(other))) return true;
      }
      return false;
    });
  }

  holds(quote: string): boolean {
    return this.texts.some((text) => text.includes(quote));
  }

  private weight(word: string): number {
    // A word that nobody says weighs as much as one that is said once: it may be a paraphrase.
    const count = Math.max(1, this.byWord.get(word)?.length ?? 1);
    return Math.log(1 + (this.sentences.length + 1) / (count + 1));
  }

  /** The sentences closest to a set of words, the share of its weight that they hold, and all words near them. */
  closest(wanted: ReadonlySet<string>): {
    share: number;
    sources: SourceSentence[];
    /** Those of the sources that are nearly as close as the closest. */
    closest: SourceSentence[];
    words: ReadonlySet<string>;
    /** What the sentences say, with those beside them. */
    near: string;
  } {
    const scores = new Map<number, number>();
    let total = 0;
    for (const word of wanted) {
      const weight = this.weight(word);
      total += weight;
      const postings = this.byWord.get(word) ?? [];
      // The newest say how things stand; older mentions of a worn word are not gone through.
      for (const at of postings.slice(-MOST_POSTINGS)) scores.set(at, (scores.get(at) ?? 0) + weight);
    }
    const ranked = [...scores].sort(([a, x], [b, y]) => y - x || b - a).slice(0, MOST_SOURCES * 4);
    const best = ranked[0]?.[1] ?? 0;
    const sources: SourceSentence[] = [];
    const closest: SourceSentence[] = [];
    const words = new Set<string>();
    const texts = new Set<string>();
    for (const [at, score] of ranked) {
      if (score < best * NEAR || sources.length >= MOST_SOURCES) break;
      sources.push(this.sentences[at]!);
      if (score >= best * NEARLY) closest.push(this.sentences[at]!);
      for (const beside of this.around(at)) {
        texts.add(beside.text);
        for (const word of beside.words) words.add(word);
      }
    }
    let held = 0;
    for (const word of wanted) if (words.has(word)) held += this.weight(word);
    return { share: total === 0 ? 0 : held / total, sources, closest, words, near: [...texts].join('\n') };
  }

  /** A sentence and those beside it in the same message, or the question that it answers: a summary joins such. */
  private *around(at: number): Generator<SourceSentence> {
    const { message } = this.sentences[at]!;
    for (const near of [at - 1, at, at + 1]) {
      const sentence = this.sentences[near];
      if (sentence === undefined) continue;
      if (sentence.message === message || (near < at && /[?？]$/.test(sentence.text))) yield sentence;
    }
  }
}

/** Longer lines of a source are taken in pieces of this length, in UTF-16 units. */
const LONGEST_LINE = 20_000;

let segmenter: Intl.Segmenter | undefined;

/** Sentences and list entries of a text, without their marks; headings that end in no full sentence count too. */
export function* statementsOf(text: string): Generator<Span> {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'sentence' });
  let start = 0;
  while (start < text.length) {
    let end = text.indexOf('\n', start);
    if (end === -1) end = text.length;
    end = Math.min(end, start + LONGEST_LINE);
    const line = text.slice(start, end);
    const lead = /^[\s>*#+-]*(?:\d+[.)]\s+)?(?:\[[ x~-]\]\s+)?/.exec(line)?.[0].length ?? 0;
    const body = line.slice(lead);
    if (body.length > SHORT_LINE) {
      for (const { index, segment } of segmenter.segment(body)) {
        const trimmed = segment.trimEnd();
        if (/[\p{L}\p{N}]/u.test(trimmed)) {
          yield { start: start + lead + index, end: start + lead + index + trimmed.length };
        }
      }
    } else if (/[\p{L}\p{N}]/u.test(body)) {
      yield { start: start + lead, end: start + lead + body.trimEnd().length };
    }
    start = end + (text.charCodeAt(end) === 10 ? 1 : 0);
  }
}

/** A line so short is one statement. */
const SHORT_LINE = 24;
