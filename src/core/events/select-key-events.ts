import { KEY_EVENT_KINDS, type DetectedEvent, type KeyEventKind, type Span } from '../model/key-event.ts';
import type { Steps } from '../pace/steps.ts';
import type { PresetName } from '../prompts/render-prompts.ts';
import { isTableTalk, isThanks } from '../text/small-talk.ts';
import type { Analysis, Candidate, DetectorInput } from './analyze-message.ts';
import { beginsWith, hasConcept } from './concepts.ts';
import { ANNOUNCEMENT, MARKED_IMPORTANT } from './feature-patterns.ts';
import { CONCEPTS, type Concept } from './lexicon.ts';
import { logistic, scoreFeatures, type LinearModel } from './linear-model.ts';
import { saysReplacement } from './subject.ts';

/** Minimum probability of a key event, by speaker, which balances misses and false positives on held-out sources. */
const MIN_PROBABILITY = { user: 0.33, other: 0.45 };
const MIN_LASTING = 0.5;
/** The score of a quote with this many UTF-16 units is halved, because space in the ledger is scarce. */
const HALF_LENGTH = 80;

/** In UTF-16 units. Adjacent sentences of the same kind are joined up to this length. */
const MAX_JOINED = 200;

/** Sentences up to this many words may be mere interjections. */
const FEW_WORDS = 3;
/** A number, code, or an identifier, which makes even a few words meaningful. */
const SPECIFIC = /[\p{N}`_/@#:]|\p{Ll}\p{Lu}|\w\.\w/u;
/** Indexes of the concepts that say what a key event is about: something done, wanted, rejected, broken, or set. */
const MEANINGFUL_CONCEPTS = CONCEPTS.flatMap((concept, index) =>
  ['ask', 'maybe', 'narrate', 'chatter', 'explain', 'we', 'i', 'you', 'not', 'state', 'cause'].includes(concept)
    ? []
    : index,
);

/** Kinds that don't occur in a preset's conversations: in role-play, nothing is a software error. */
const EXCLUDED_KINDS: Readonly<Record<PresetName, readonly KeyEventKind[]>> = {
  developer: [],
  advisory: ['configuration'],
  customer: ['configuration', 'error'],
  'role-play': ['configuration', 'error'],
};
/** The kinds of standing instructions. One that forbids something is always the first, a constraint. */
const STANDING_KINDS: readonly KeyEventKind[] = ['constraint', 'preference', 'decision'];

const CANDIDATES_PER_STEP = 40;

/** Concepts whose words explain a match to the user, by kind. */
const REASON_CONCEPTS: Readonly<Record<KeyEventKind, readonly Concept[]>> = {
  decision: ['assent', 'decide'],
  error: ['fault', 'fail'],
  preference: ['prefer', 'request'],
  constraint: ['forbid', 'oblige'],
  configuration: ['config'],
  fact: ['cause', 'state'],
  todo: ['act', 'request', 'open'],
  outcome: ['done', 'faultless'],
};

/** Selects events from an analysis: the model scores each sentence; tool output and settings were found by rules. */
export function* selectKeyEvents(
  { role, text }: DetectorInput,
  analysis: Analysis,
  model: LinearModel,
  preset: PresetName = 'developer',
): Steps<DetectedEvent[]> {
  if (role === 'system') return [];
  const quoteOf = ({ start, end }: Span): string => text.slice(start, end);
  const isExcluded = (kind: KeyEventKind): boolean => EXCLUDED_KINDS[preset].includes(kind);
  const events = analysis.toolOutputEvents.filter(({ kind }) => !isExcluded(kind));
  const setting = { score: 0.5, importance: 2, reason: 'command that sets' } as const;
  for (const span of analysis.settings)
    events.push({ ...span, kind: 'configuration', quote: quoteOf(span), ...setting });
  /**
   * In a conversation among people, users don't address the model, so the weights of other speakers apply. An
   * announcement by the assistant is weighed like a user's words, unless it's in a document.
   */
  const isWeighedAsUser = ({ features }: Candidate['traits'], quote: string): boolean =>
    role === 'user'
      ? !analysis.message.speech.named
      : role === 'assistant' && ANNOUNCEMENT.test(quote) && !features.includes('of a document');
  let last: { readonly event: DetectedEvent; readonly candidate: Candidate } | undefined;
  for (const [at, candidate] of analysis.candidates.entries()) {
    if (at % CANDIDATES_PER_STEP === CANDIDATES_PER_STEP - 1) yield;
    const { segment, traits } = candidate;
    const quote = quoteOf(segment);
    if (traits.ruledOut || isThanks(quote)) continue;
    if (!analysis.message.before.asked && isInterjection(traits, quote)) continue;
    const isUser = isWeighedAsUser(traits, quote);
    const [event, lasting, ...kinds] = scoreFeatures(traits.features, model, isUser);
    const probability = logistic(event!);
    if (probability < (isUser ? MIN_PROBABILITY.user : MIN_PROBABILITY.other)) continue;
    if (preset === 'role-play' && isTableTalk(quote)) continue;
    const isStanding = isUser && traits.features.includes('standing');
    const forbids = isStanding && beginsWith(traits.hits, 'forbid', 1);
    const standingKinds = forbids ? STANDING_KINDS.slice(0, 1) : STANDING_KINDS;
    const allowed = KEY_EVENT_KINDS.filter(
      (one) =>
        !isExcluded(one) && (!isStanding || standingKinds.includes(one)) && (one !== 'error' || reportsFault(traits)),
    );
    const scoreOf = (one: KeyEventKind): number => kinds[KEY_EVENT_KINDS.indexOf(one)]!;
    const kind = allowed.reduce((best, one) => (scoreOf(one) > scoreOf(best) ? one : best));
    const { start, end } = segment;
    const isMarked = role === 'user' && MARKED_IMPORTANT.test(quote);
    // Without the user's correction, the corrected statement would seem current.
    const isLasting = isMarked || logistic(lasting!) >= MIN_LASTING || (isUser && saysReplacement(quote));
    const joins =
      last !== undefined &&
      last.event.kind === kind &&
      last.candidate.segment.line === segment.line &&
      last.candidate.segment.index === segment.index - 1 &&
      end - last.event.start <= MAX_JOINED;
    const found: DetectedEvent = {
      start,
      end,
      kind,
      quote,
      score: isMarked ? 1 : (probability * HALF_LENGTH) / (HALF_LENGTH + end - start),
      importance: isLasting && kind !== 'error' && kind !== 'outcome' ? 3 : 2,
      reason: reasonOf(candidate, kind),
    };
    const merged = joins ? mergeEvents(last!.event, found, text) : found;
    if (joins) events.pop();
    events.push(merged);
    last = { event: merged, candidate };
  }
  events.sort((a, b) => a.start - b.start || b.score - a.score);
  return events.filter((event, i) => i === 0 || event.start >= events[i - 1]!.end);
}

const mergeEvents = (first: DetectedEvent, next: DetectedEvent, text: string): DetectedEvent => ({
  ...first,
  end: next.end,
  quote: text.slice(first.start, next.end),
  score: Math.max(first.score, next.score),
  importance: first.importance === 3 ? 3 : next.importance,
});

/** Whether a sentence reports a fault instead of only supposing one. */
const reportsFault = ({ hits, features }: Candidate['traits']): boolean =>
  (hasConcept(hits, 'fault') || hasConcept(hits, 'fail') || features.includes('status bad')) &&
  !beginsWith(hits, 'maybe');

function isInterjection({ hits }: Candidate['traits'], quote: string): boolean {
  return (
    hits.length <= FEW_WORDS &&
    SPECIFIC.exec(quote) === null &&
    MEANINGFUL_CONCEPTS.every((index) => hits.count[index] === 0)
  );
}

function reasonOf({ traits }: Candidate, kind: KeyEventKind): string {
  const failed = traits.hits.words[CONCEPTS.indexOf('fail')];
  if (failed !== undefined) return `tried, failed: “${failed}”`;
  for (const concept of REASON_CONCEPTS[kind]) {
    const words = traits.hits.words[CONCEPTS.indexOf(concept)];
    if (words !== undefined) return `${kind}: “${words}”`;
  }
  return 'form of the sentence';
}
