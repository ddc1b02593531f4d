import { TermCursor, type TermKind } from '../compress/terms.ts';
import { messageText, type Message } from '../model/message.ts';
import type { StatementSource } from '../model/statement.ts';
import type { Steps } from '../pace/steps.ts';
import { closedValues, isClosed, plain } from './closed-words.ts';
import { isNumberWord, numbersIn } from './number-values.ts';
import { statementsOf } from './sentences.ts';
import { SpeakerLabels } from './speaker-labels.ts';
import type { StatementTerm } from './statement-terms.ts';
import { codesIn, identifierKey, keysOfTerm, rangesIn } from './term-keys.ts';

/** A source sentence, with what it mentions. */
export interface SourceSentence extends StatementSource {
  readonly role: string;
  /** Who speaks, where messages begin with a speaker's name. */
  readonly label: string | undefined;
  readonly text: string;
  readonly keys: Set<string>;
}

interface KnownTerm {
  readonly keys: readonly string[];
  /** It may be a number in words. */
  readonly isNumber: boolean;
  /** It may be a day or a month. */
  readonly isClosed: boolean;
}

/** UTF-16 units that are read in a step. */
const STEP_CHARS = 5000;
/** Places of a name that is searched for in the whole text; more tell nothing. */
const MOST_FOUND = 600;
const IN_WORD = /[\p{L}\p{N}_]/u;

/** The sentences of messages, looked up by what they mention. */
export class SentenceIndex {
  readonly sentences: SourceSentence[] = [];
  readonly speakers: SpeakerLabels;
  private readonly byKey = new Map<string, number[]>();
  private readonly texts: readonly string[];
  private lower: readonly string[] | undefined;
  /** The first sentence of each message. */
  private readonly firstOf: number[] = [];
  private readonly terms = new Map<string, KnownTerm>();
  private readonly weights = new WeakMap<StatementTerm, number>();
  private readonly postings = new WeakMap<StatementTerm, readonly number[]>();

  private readonly messages: readonly Pick<Message, 'role' | 'content'>[];

  constructor(messages: readonly Pick<Message, 'role' | 'content'>[]) {
    this.messages = messages;
    this.texts = messages.map(messageText);
    this.speakers = new SpeakerLabels(this.texts);
  }

  /** Reads the messages; nothing is found before. Linear. */
  *readSteps(): Steps<void> {
    let read = 0;
    for (const [message, whole] of this.texts.entries()) {
      this.firstOf.push(this.sentences.length);
      const { role } = this.messages[message]!;
      const label = this.speakers.labelOf(message);
      for (const { start, end } of statementsOf(whole)) {
        const text = whole.slice(start, end);
        this.add({ message, start, end, role, label, text, keys: this.keysOf(text) });
        read += text.length;
        if (read < STEP_CHARS) continue;
        read = 0;
        yield;
      }
    }
    this.terms.clear();
  }

  private add(sentence: SourceSentence): void {
    const at = this.sentences.length;
    this.sentences.push(sentence);
    for (const key of sentence.keys) {
      const postings = this.byKey.get(key);
      if (postings) postings.push(at);
      else this.byKey.set(key, [at]);
    }
  }

  private keysOf(text: string): Set<string> {
    const keys = new Set<string>();
    const term = new TermCursor(text, 0, text.length);
    let numbered = /\d/.test(text);
    let closed = false;
    while (term.next()) {
      const known = this.known(term.kind, text.slice(term.start, term.end));
      for (const key of known.keys) keys.add(key);
      numbered ||= known.isNumber;
      closed ||= known.isClosed;
    }
    if (numbered) {
      for (const { values } of numbersIn(text)) for (const value of values) keys.add(`#${value}`);
      for (const { key } of rangesIn(text)) keys.add(key);
      for (const { written } of codesIn(text)) keys.add(identifierKey(written));
    }
    if (closed) for (const { value } of closedValues(text)) keys.add(`=${value}`);
    return keys;
  }

  /** What is known of a term; a transcript says few words very often. */
  private known(kind: TermKind, written: string): KnownTerm {
    const name = `${kind[0]!}${written}`;
    let known = this.terms.get(name);
    if (known === undefined) {
      const word = plain(written);
      known = {
        keys: [...keysOfTerm(kind, written)],
        isNumber: word.split('-').some(isNumberWord),
        isClosed: written.charCodeAt(0) >= 0x2e80 || word === 'may' || isClosed(word),
      };
      this.terms.set(name, known);
    }
    return known;
  }

  holds(quote: string): boolean {
    return this.texts.some((text) => text.includes(quote));
  }

  /** How many sentences hold a term in its commonest form. */
  count(term: StatementTerm): number {
    let most = 0;
    for (const [key] of term.keys) most = Math.max(most, this.byKey.get(key)?.length ?? 0);
    return most;
  }

  /** How much a term tells of where a statement comes from: the rarer, the more. */
  weight(term: StatementTerm): number {
    let weight = this.weights.get(term);
    if (weight === undefined) {
      // A word that nobody says weighs as much as one that is said once: it may be a paraphrase.
      const count = this.byKey.get(term.keys[0]![0])?.length ?? this.count(term);
      weight = Math.log(1 + (this.sentences.length + 1) / (Math.max(1, count) + 1));
      this.weights.set(term, weight);
    }
    return weight;
  }

  /** How much of a term a sentence holds, 0…1. */
  creditIn(term: StatementTerm, at: number): number {
    const keys = this.sentences[at]?.keys;
    if (keys === undefined) return 0;
    for (const [key, credit] of term.keys) if (keys.has(key)) return credit;
    return 0;
  }

  /** The sentences that hold a key, in order. */
  protected at(key: string): readonly number[] {
    return this.byKey.get(key) ?? [];
  }

  /** The sentences that hold a term in any of its forms, in order. */
  placesOf(term: StatementTerm): readonly number[] {
    let places = this.postings.get(term);
    if (places === undefined) {
      const all = term.keys.flatMap(([key]) => this.at(key));
      places = term.keys.length === 1 ? all : [...new Set(all)].sort((a, b) => a - b);
      this.postings.set(term, places);
    }
    return places;
  }

  /** Looks a name that no sentence holds by itself up as a part of longer ones, and keeps its places. Linear. */
  find(term: StatementTerm): void {
    const key = term.keys[0]![0];
    if (this.count(term) > 0 || key.length < 2) return;
    this.lower ??= this.texts.map((text) => text.toLowerCase());
    const places = new Set<number>();
    const opensWord = IN_WORD.test(key[0]!);
    for (const [message, text] of this.lower.entries()) {
      for (let from = text.indexOf(key); from !== -1; from = text.indexOf(key, from + key.length)) {
        if (opensWord && IN_WORD.test(text[from - 1] ?? '')) continue;
        if (IN_WORD.test(text[from + key.length] ?? '')) continue;
        const at = this.sentenceAt(message, from);
        if (at !== undefined) places.add(at);
      }
      if (places.size >= MOST_FOUND) break;
    }
    if (places.size === 0) return;
    this.byKey.set(key, [...places]);
    for (const at of places) this.sentences[at]!.keys.add(key);
  }

  private sentenceAt(message: number, offset: number): number | undefined {
    let low = this.firstOf[message]!;
    let high = (this.firstOf[message + 1] ?? this.sentences.length) - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.sentences[middle]!.start <= offset) low = middle;
      else high = middle - 1;
    }
    return this.sentences[low]?.message === message ? low : undefined;
  }
}
