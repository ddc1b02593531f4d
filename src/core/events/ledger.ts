import { keyEventId, type KeyEventId, type MessageId } from '../model/ids.ts';
import type { KeyEvent, KeyEventKind, Span } from '../model/key-event.ts';
import type { DetectedEventWithContext } from './detect.ts';
import { similarity, overlap, sameMembers, subjectOf, type Subject } from './subject.ts';

/** Maximum number of entries indexed per word; the newest are kept. It bounds the cost of adding an event. */
const MAX_PER_WORD = 12;
/** Minimum word similarity of two quotes with the same meaning and the same numbers and negations. */
const MIN_SAME_SIMILARITY = 0.8;
/** Minimum share of the shorter quote's words that two quotes about the same subject have in common. */
const MIN_SUBJECT_SHARE = 0.5;
/** Minimum word similarity for a replacement, because long sentences share words by chance. */
const MIN_REPLACEMENT_SIMILARITY = 0.3;
/** Maximum number of messages between an error and a bare "fixed" or "all tests pass" that refers to it. */
const MAX_FIX_DISTANCE = 30;

/** Kinds in which a later event supersedes an earlier one, also across kinds. */
const SUPERSEDING: ReadonlySet<KeyEventKind> = new Set(['decision', 'preference', 'configuration', 'constraint']);

/** Kinds that are superseded by a sentence that starts with the same words and reverses a choice. */
const REPLACEABLE: ReadonlySet<KeyEventKind> = new Set([...SUPERSEDING, 'todo', 'fact']);

/** Kinds that a revocation supersedes. */
const REVOCABLE: ReadonlySet<KeyEventKind> = new Set([...SUPERSEDING, 'todo', 'outcome']);

interface Item {
  entry: KeyEvent;
  readonly subject: Subject;
  /** Number of messages that the ledger had counted when it was added. */
  readonly at: number;
}

/** Derived from the event's position, so that a ledger can be rebuilt from a journal with the same IDs. */
export const eventIdAt = (message: MessageId, span: Span): KeyEventId =>
  keyEventId(`${message}:${span.start}-${span.end}`);

/** The entry of an event that was detected in a message. `before`: the previous message, which `about` quotes. */
export const entryOf = (
  { about, ...detected }: DetectedEventWithContext,
  message: MessageId,
  before?: MessageId,
): KeyEvent => ({
  ...detected,
  id: eventIdAt(message, detected),
  message,
  status: 'active',
  pinned: false,
  ...(about && before !== undefined && { about: { message: before, ...about } }),
});

/**
 * A session's key events, updated with each message. Entries are never removed; only their status and links change.
 * Deterministic. Adding an event takes the same time regardless of the session's length, because related entries are
 * looked up by word, with a maximum number per word.
 */
export class Ledger {
  private readonly items = new Map<KeyEventId, Item>();
  private readonly byNormal = new Map<string, KeyEventId>();
  private readonly byToken = new Map<string, KeyEventId[]>();
  private readonly dismissed = new Set<KeyEventId>();
  private openErrors: KeyEventId[] = [];
  private messages = 0;
  private lastMessage: MessageId | undefined;

  /**
   * Adds a stored entry. Call it in the original order. The quote's subject is reused from an `earlier` ledger, because
   * determining it is most of the work.
   */
  restore(entry: KeyEvent, earlier?: Ledger): void {
    this.countMessage(entry.message);
    const known = earlier?.items.get(entry.id);
    this.store(entry, known?.entry.quote === entry.quote ? known.subject : subjectOf(entry.quote));
  }

  dismiss(id: KeyEventId): void {
    this.dismissed.add(id);
  }

  entries(): KeyEvent[] {
    return [...this.items.values()].map(({ entry }) => entry);
  }

  get(id: KeyEventId): KeyEvent | undefined {
    return this.items.get(id)?.entry;
  }

  /** Adds a message's events and returns all new and changed entries. `about` quotes `before`, the previous message. */
  add(message: MessageId, events: readonly DetectedEventWithContext[], before?: MessageId): KeyEvent[] {
    this.countMessage(message);
    const changed = new Map<KeyEventId, KeyEvent>();
    for (const event of events) {
      const entry = entryOf(event, message, before);
      if (!this.dismissed.has(entry.id) && !this.items.has(entry.id)) this.addEvent(entry, changed);
    }
    return [...changed.values()];
  }

  private countMessage(message: MessageId): void {
    if (message !== this.lastMessage) this.messages++;
    this.lastMessage = message;
  }

  private addEvent(entry: KeyEvent, changed: Map<KeyEventId, KeyEvent>): void {
    const subject = subjectOf(entry.quote);
    const related = this.candidates(subject);
    const duplicated = this.duplicateOf(entry, subject, related);
    if (duplicated !== undefined) {
      const merged: KeyEvent = { ...entry, status: 'merged', link: duplicated.entry.id };
      this.store(merged, subject);
      changed.set(merged.id, merged);
      if (duplicated.entry.kind === 'error') return;
    } else {
      for (const older of related) {
        if (older.entry.status !== 'active' || !supersedes(entry, subject, older)) continue;
        changed.set(older.entry.id, this.update(older, { status: 'superseded', link: entry.id }));
      }
      this.store(entry, subject);
      changed.set(entry.id, entry);
    }
    if (subject.resolves && entry.kind !== 'error' && entry.kind !== 'todo') this.linkFixed(entry, subject, changed);
  }

  /** An active entry with the same meaning. An error that recurs after its fix isn't a duplicate. */
  private duplicateOf(entry: KeyEvent, subject: Subject, related: readonly Item[]): Item | undefined {
    const same = this.items.get(this.byNormal.get(subject.normal) ?? entry.id);
    for (const item of same === undefined ? related : [same, ...related]) {
      const other = item.entry;
      if (other.status !== 'active' || (other.kind === 'error' && other.link !== undefined)) continue;
      if (item.subject.normal === subject.normal && other.about?.quote === entry.about?.quote) return item;
      if (other.kind !== entry.kind || subject.failedAttempt || item.subject.failedAttempt || entry.about !== undefined)
        continue;
      if (subject.negative !== item.subject.negative || !sameMembers(subject.values, item.subject.values)) continue;
      if (entry.kind !== 'error' && !sameMembers(subject.codes, item.subject.codes)) continue;
      if (subject.tokens.size >= 3 && similarity(subject.tokens, item.subject.tokens) >= MIN_SAME_SIMILARITY)
        return item;
    }
    return undefined;
  }

  /** Links open errors to the event that reports their fix, by common words or by a bare "fixed" soon after them. */
  private linkFixed(fix: KeyEvent, subject: Subject, changed: Map<KeyEventId, KeyEvent>): void {
    const stillOpen: KeyEventId[] = [];
    const recent: Item[] = [];
    let linked = 0;
    for (const id of this.openErrors) {
      const error = this.items.get(id)!;
      if (error.entry.link !== undefined) continue;
      const shared = overlap(error.subject.tokens, subject.tokens);
      if (
        error.entry.message !== fix.message &&
        (shared >= 2 || (shared === 1 && Math.min(error.subject.tokens.size, subject.tokens.size) <= 3))
      ) {
        changed.set(id, this.update(error, { link: fix.id }));
        linked++;
      } else {
        stillOpen.push(id);
        if (error.entry.message !== fix.message && this.messages - error.at <= MAX_FIX_DISTANCE) recent.push(error);
      }
    }
    const last = recent.at(-1);
    if (linked === 0 && subject.tokens.size <= 4 && last !== undefined) {
      changed.set(last.entry.id, this.update(last, { link: fix.id }));
      stillOpen.splice(stillOpen.indexOf(last.entry.id), 1);
    }
    this.openErrors = stillOpen;
  }

  private store(entry: KeyEvent, subject: Subject): void {
    this.items.set(entry.id, { entry, subject, at: this.messages });
    if (entry.status === 'merged') return;
    this.byNormal.set(subject.normal, entry.id);
    for (const token of subject.tokens) {
      const ids = this.byToken.get(token) ?? [];
      ids.push(entry.id);
      if (ids.length > MAX_PER_WORD) ids.shift();
      this.byToken.set(token, ids);
    }
    if (entry.kind === 'error' && entry.link === undefined && entry.status === 'active' && !subject.failedAttempt) {
      this.openErrors.push(entry.id);
      // A later "fixed" doesn't refer to such an old error.
      if (this.openErrors.length > 2 * MAX_FIX_DISTANCE) this.openErrors.shift();
    }
  }

  /** Entries that share a word, at most `MAX_PER_WORD` per word. */
  private candidates(subject: Subject): Item[] {
    const ids = new Set([...subject.tokens].flatMap((token) => this.byToken.get(token) ?? []));
    return [...ids].map((id) => this.items.get(id)!);
  }

  private update(item: Item, change: Partial<Pick<KeyEvent, 'status' | 'link'>>): KeyEvent {
    item.entry = { ...item.entry, ...change };
    return item.entry;
  }
}

/**
 * Whether `entry` supersedes an earlier entry on the same subject: it denies the earlier value ("8443, not 8080"), has
 * the same words with another value or the opposite meaning, or says that something is replaced. Errors aren't
 * superseded, and reports of failures supersede nothing.
 */
function supersedes(entry: KeyEvent, subject: Subject, older: Item): boolean {
  if (older.entry.message === entry.message || older.entry.kind === 'error') return false;
  if (subject.failedAttempt || (entry.kind === 'error' && subject.faulty)) return false;
  const shared = overlap(subject.tokens, older.subject.tokens);
  if (shared === 0) return false;
  const share = shared / Math.min(subject.tokens.size, older.subject.tokens.size);
  const hasOtherValues =
    subject.values.size > 0 && older.subject.values.size > 0 && !sameMembers(subject.values, older.subject.values);
  const isOpposite = subject.negative !== older.subject.negative;
  if (hasOtherValues && overlap(subject.denied, older.subject.values) > 0) return true;
  if (REVOCABLE.has(older.entry.kind) && !older.subject.negative && overlap(subject.revoked, older.subject.tokens) > 0)
    return true;
  if (reversesChoice(subject, older.subject) && REPLACEABLE.has(entry.kind) && REPLACEABLE.has(older.entry.kind))
    return true;
  const wordsAlike = similarity(subject.tokens, older.subject.tokens);
  // Detected kinds are uncertain, so other kinds are compared as well, but more strictly.
  if (!SUPERSEDING.has(entry.kind) || !SUPERSEDING.has(older.entry.kind)) {
    return (
      subject.replaces &&
      shared >= 2 &&
      share >= MIN_SUBJECT_SHARE &&
      wordsAlike >= MIN_REPLACEMENT_SIMILARITY &&
      (hasOtherValues || (isOpposite && subject.negative))
    );
  }
  // Constraints and preferences are only superseded explicitly; a few common words aren't enough.
  const isRule = older.entry.kind === 'constraint' || older.entry.kind === 'preference';
  const deniedWords = overlap(subject.denied, older.subject.tokens);
  if (deniedWords > 0 && deniedWords / older.subject.tokens.size >= MIN_SUBJECT_SHARE) return true;
  // Both have words that the other lacks, for example the port of staging and that of production.
  const isApart = shared < subject.tokens.size && shared < older.subject.tokens.size && !subject.replaces;
  if (
    hasOtherValues &&
    !isApart &&
    (wordsAlike >= MIN_SUBJECT_SHARE || (entry.kind === 'configuration' && share >= 0.75))
  )
    return true;
  if (isOpposite && (wordsAlike >= MIN_SUBJECT_SHARE || (!isRule && share === 1 && shared >= 2))) return true;
  return subject.replaces && shared >= 2 && share >= MIN_SUBJECT_SHARE && wordsAlike >= MIN_REPLACEMENT_SIMILARITY;
}

/** Only the subjects' first words are compared, because a choice and its reversal give different reasons. */
const reversesChoice = (subject: Subject, older: Subject): boolean =>
  subject.lead !== '' && subject.lead === older.lead && older.statesChoice && (subject.reverses || subject.replaces);
