import { importanceOfKind, KEY_EVENT_KINDS } from '../model/key-event.ts';
import type { DetectedEvent, KeyEventKind } from '../model/key-event.ts';
import type { Steps } from '../pace/steps.ts';
import type { Analysis, Candidate, SpokenText } from './analyse.ts';
import { probability } from './linear-model.ts';
import type { Model } from './linear-model.ts';
import { CONCEPTS } from './lexicon/lexicon.ts';
import type { Concept } from './lexicon/lexicon.ts';

export interface Thresholds {
  readonly user: number;
  readonly other: number;
}

/** Chosen on data left out of training, for recall first: what is lost is lost, what is too much leaves the ledger later. */
export const THRESHOLDS: Thresholds = { user: 0.36, other: 0.25 };

/** A user's message of more sentences is read as a paste between a few words of their own at both ends. */
const DOCUMENT = 20;
const FRAME = 4;
/** What a pasted page says counts less than what is said to the model. */
const PASTED = 0.6;
/** A message of this many sentences says few things; each doubling beyond raises what one must score to be an event. */
const FEW = 4;
/** From left-out sources: this much costs one hundredth of recall and spares half of what reports and plans would add. */
const CROWDED = 0.12;
/** Of what people say among each other at length, little is settled. */
const TALK = 0.4;

/** Neighbouring sentences of one kind are told as one event up to this length (UTF-16 units). */
const JOINED = 200;

/** A sentence of no more words may be a mere sound. */
const FEW_WORDS = 3;
/** What has a number, a mark of code or an identifier in it says something, in however few words. */
const NAMES = /[\p{N}`_/@#:]|\p{Ll}\p{Lu}|\w\.\w/u;
/** Places of the concepts that a key event is about: something done, wanted, refused, broken or set. */
const TELLS = CONCEPTS.flatMap((concept, place) =>
  ['ask', 'maybe', 'narrate', 'chatter', 'explain', 'we', 'i', 'you', 'not', 'state', 'cause'].includes(concept)
    ? []
    : place,
);

const CANDIDATES_PER_STEP = 40;

/** What a reader is told about a match, by the concepts that speak for the kind. */
const TELLING: Readonly<Record<KeyEventKind, readonly Concept[]>> = {
  decision: ['assent', 'decide'],
  error: ['fault', 'fail'],
  preference: ['prefer', 'request'],
  constraint: ['forbid', 'oblige'],
  configuration: ['config'],
  fact: ['cause', 'state'],
  todo: ['act', 'request', 'open'],
  outcome: ['done', 'faultless'],
};

/** Turns an analysis into events: the model scores each sentence, rules speak for machine output and settings. */
export function* choose(
  message: SpokenText,
  analysis: Analysis,
  model: Model,
  thresholds: Thresholds,
): Steps<DetectedEvent[]> {
  const { role, text } = message;
  if (role === 'system') return [];
  const side = role === 'user' ? 'user' : 'other';
  const events: DetectedEvent[] = [];
  for (const finding of analysis.findings) {
    events.push({ ...pick(finding), quote: text.slice(finding.start, finding.end) });
  }
  for (const setting of analysis.settings) {
    events.push({
      start: setting.start,
      end: setting.end,
      kind: 'configuration',
      quote: text.slice(setting.start, setting.end),
      score: 0.8,
      importance: 2,
      reason: 'command that sets',
    });
  }
  const count = analysis.candidates.length;
  /** A long message of a user is mostly pasted; what frames it is the user's own. */
  const inner = ({ segment }: Candidate): boolean =>
    role === 'user' && count > DOCUMENT && segment.order >= FRAME && segment.order < count - FRAME;
  /** What somebody says among others is not said to the model: it is weighed as its own words are. */
  const talk = analysis.speech.named;
  const weighs = (candidate: Candidate): 'user' | 'other' => (talk || inner(candidate) ? 'other' : side);
  const crowd = role === 'user' ? 0 : CROWDED * Math.max(0, Math.log2(count / FEW));
  const least = (candidate: Candidate): number => (inner(candidate) ? PASTED : talk ? TALK : thresholds[side] + crowd);
  let last: { readonly event: DetectedEvent; readonly candidate: Candidate } | undefined;
  for (const [at, candidate] of analysis.candidates.entries()) {
    if (at % CANDIDATES_PER_STEP === CANDIDATES_PER_STEP - 1) yield;
    const { segment, traits } = candidate;
    if (traits.asking || (!analysis.before.asked && isHollow(traits, text.slice(segment.start, segment.end)))) continue;
    const score = probability(traits.features, model.event[weighs(candidate)]);
    if (score < least(candidate)) continue;
    const kind = kindOf(candidate, model, weighs(candidate));
    const { start, end } = segment;
    const joins =
      last !== undefined &&
      last.event.kind === kind &&
      last.candidate.segment.line === segment.line &&
      last.candidate.segment.index === segment.index - 1 &&
      end - last.event.start <= JOINED;
    const event: DetectedEvent = joins
      ? { ...last!.event, end, quote: text.slice(last!.event.start, end), score: Math.max(last!.event.score, score) }
      : {
          start,
          end,
          kind,
          quote: text.slice(start, end),
          score,
          importance: importanceOfKind(kind),
          reason: reasonOf(candidate, kind),
        };
    if (joins) events.pop();
    events.push(event);
    last = { event, candidate };
  }
  events.sort((a, b) => a.start - b.start || b.score - a.score);
  return events.filter((event, i) => i === 0 || event.start >= events[i - 1]!.end);
}

/** A greeting or a sigh of so few words that does, wants and settles nothing; as the answer to a question it may. */
function isHollow({ hits }: Candidate['traits'], quote: string): boolean {
  return hits.length <= FEW_WORDS && NAMES.exec(quote) === null && TELLS.every((place) => hits.count[place] === 0);
}

const pick = ({ start, end, kind, score, reason }: Analysis['findings'][number]): Omit<DetectedEvent, 'quote'> => ({
  start,
  end,
  kind,
  score,
  importance: 2,
  reason,
});

function kindOf({ traits }: Candidate, model: Model, side: 'user' | 'other'): KeyEventKind {
  let best: KeyEventKind = 'fact';
  let most = -1;
  for (const kind of KEY_EVENT_KINDS) {
    const score = probability(traits.features, model.kinds[kind][side]);
    if (score > most) {
      most = score;
      best = kind;
    }
  }
  return best;
}

function reasonOf({ traits }: Candidate, kind: KeyEventKind): string {
  const failed = traits.hits.words[CONCEPTS.indexOf('fail')];
  if (kind === 'error' && failed !== undefined) return `tried, failed: “${failed}”`;
  for (const concept of TELLING[kind]) {
    const word = traits.hits.words[CONCEPTS.indexOf(concept)];
    if (word !== undefined) return `${kind}: “${word}”`;
  }
  return `${kind}: by its form and place`;
}
