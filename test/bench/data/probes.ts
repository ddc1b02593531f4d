import type { TranscriptMessage } from '../../../src/core/transcript/transcript-message.ts';
import { collapseWhiteSpace, type Fact } from './facts.ts';
import { Random } from '../../support/random.ts';

export const FAMILIES = ['said', 'files', 'decided', 'left'] as const;
/** What the questions are about: statements, files and names, decisions and reasons, or open tasks. */
export type Family = (typeof FAMILIES)[number];

export const FAMILY_LABELS: Readonly<Record<Family, string>> = {
  said: 'answers about messages',
  files: 'answers about files and names',
  decided: 'answers about decisions and reasons',
  left: 'answers about what is left to do',
};

/** A question about a session, with what must occur near its subject to count as answered. */
export interface Probe {
  readonly family: Family;
  readonly question: string;
  readonly subject: string;
  readonly answer: readonly string[];
  /** The answer that was replaced. */
  readonly outdated?: string;
}

export interface ProbedSession {
  readonly transcript: readonly TranscriptMessage[];
  readonly probes: readonly Probe[];
  /** The sentences that answer them, including outdated ones, in order. */
  readonly facts: readonly Fact[];
}

const PEOPLE = ['Rosalind', 'Tomasz', 'Ingrid', 'Kwame', 'Beatriz', 'Hollis', 'Yara', 'Matteo', 'Sunniva', 'Piers'];
const THINGS = [
  'invoice page',
  'audit feed',
  'import wizard',
  'seat map',
  'price sheet',
  'badge printer',
  'mail digest',
];
const MONTHS = ['February', 'April', 'June', 'August', 'October', 'December'];
const AREAS = ['ledger', 'roster', 'freight', 'tariff', 'archive', 'harbour', 'signage'];
const VERBS = ['round', 'split', 'settle', 'collate', 'unpack', 'redact', 'align'];
const REASONS = [
  'the reports need joins',
  'it runs on the old servers',
  'the vendor stops support in spring',
  'two teams know it already',
  'its licence allows resale',
];
const TOOLS = ['Postgres', 'Valkey', 'Kafka', 'SQLite', 'RabbitMQ', 'DuckDB', 'MinIO', 'Caddy', 'Temporal', 'Parquet'];

/** Distance of an outdated answer before the current one, in thousandths of the transcript. */
const OUTDATED_BEFORE = 180;

/**
 * Plants `perFamily` answers of each family in a transcript, evenly spread, but none in the newest 60 messages. Half of
 * the decisions replace an earlier one.
 */
export function plantProbes(transcript: readonly TranscriptMessage[], perFamily: number): ProbedSession {
  const random = new Random(11);
  const messages = [...transcript];
  const last = transcript.length - 60;
  const probes: Probe[] = [];
  const facts: Fact[] = [];
  const plant = (text: string, share: number, role: TranscriptMessage['role']): void => {
    let at = Math.floor(share * last);
    const next = messages.findIndex((one, index) => index >= at && one.role === role);
    if (next >= 0) at = next;
    const message = messages[at]!;
    messages[at] = { role: message.role, text: `${text}.\n${message.text}` };
    facts.push({ text, carrier: role === 'user' ? 'user' : 'assistant', message: at });
  };
  const count = perFamily * FAMILIES.length;
  for (let n = 0; n < count; n++) {
    const family = FAMILIES[n % FAMILIES.length]!;
    const number = Math.floor(n / FAMILIES.length);
    const made = MAKERS[family](random, number);
    const share = (n + 0.5) / count;
    if (made.older !== undefined) plant(made.older, Math.max(0, share - OUTDATED_BEFORE / 1_000), 'user');
    plant(made.text, share, family === 'files' ? 'assistant' : 'user');
    probes.push(made.probe);
  }
  return { transcript: messages, probes, facts: facts.sort((a, b) => a.message - b.message) };
}

interface Made {
  readonly text: string;
  readonly older?: string;
  readonly probe: Probe;
}

/** Each creates an answer with a unique subject; `n` numbers the answers of a family. */
const MAKERS: Readonly<Record<Family, (random: Random, n: number) => Made>> = {
  said(random, n) {
    const subject = `${PEOPLE[n % PEOPLE.length]!}'s ${THINGS[Math.floor(n / PEOPLE.length + n) % THINGS.length]!}`;
    const day = `${2 + random.below(26)} ${random.pick(MONTHS)}`;
    const place = `room ${100 + random.below(800)}`;
    return {
      text: `we look at ${subject} on ${day} in ${place}`,
      probe: { family: 'said', question: `When and where is ${subject} looked at?`, subject, answer: [day, place] },
    };
  },
  files(random, n) {
    const verb = VERBS[n % VERBS.length]!;
    const area = AREAS[(n * 3 + Math.floor(n / VERBS.length)) % AREAS.length]!;
    const name = `${verb}${area[0]!.toUpperCase()}${area.slice(1)}Lines`;
    const file = `src/${area}/${verb}-lines-${10 + random.below(80)}.ts`;
    return {
      text: `the ${area} lines are taken care of by ${name} in ${file}`,
      probe: { family: 'files', question: `Where is ${name}?`, subject: name, answer: [file] },
    };
  },
  decided(random, n) {
    const subject = `the ${AREAS[n % AREAS.length]!} ${['store', 'queue', 'index'][Math.floor(n / AREAS.length) % 3]!}`;
    const [tool, old] = [TOOLS[n % TOOLS.length]!, TOOLS[(n + 3) % TOOLS.length]!];
    const reason = random.pick(REASONS);
    const replaces = n % 2 === 0;
    return {
      text: replaces
        ? `${subject} moves to ${tool} after all, because ${reason}`
        : `${subject} is built on ${tool} because ${reason}`,
      ...(replaces && { older: `${subject} is built on ${old} because ${random.pick(REASONS)}` }),
      probe: {
        family: 'decided',
        question: `What is ${subject} built on, and why?`,
        subject,
        answer: [tool, reason],
        ...(replaces && { outdated: old }),
      },
    };
  },
  left(random, n) {
    const subject = `the ${AREAS[(n + 2) % AREAS.length]!} ${['form', 'page', 'job'][n % 3]!}`;
    const work = `${random.pick(['a second reviewer', 'a retry after', 'a limit of', 'a backup every'])} ${3 + random.below(90)}`;
    const unit = random.pick(['minutes', 'uploads', 'rows', 'seats']);
    return {
      text: `${subject} still lacks ${work} ${unit}, that is for later`,
      probe: { family: 'left', question: `What does ${subject} still lack?`, subject, answer: [`${work} ${unit}`] },
    };
  },
};

/** Maximum distance of an answer from its subject in UTF-16 units: a sentence or two. */
const MAX_DISTANCE = 220;

/** Whether all parts of the answer are near the subject, ignoring case, white space, and emphasis. */
export function isAnswered({ subject, answer }: Probe, context: string): boolean {
  return near(normal(context), normal(subject)).some((around) => answer.every((part) => around.includes(normal(part))));
}

/** Whether a reader would mistake the outdated answer for the current one, because it comes last or is the only one. */
export function isOutdated({ subject, answer, outdated }: Probe, context: string): boolean {
  const [current] = answer;
  if (outdated === undefined || current === undefined) return false;
  const last = near(normal(context), normal(subject)).filter(
    (around) => around.includes(normal(outdated)) || around.includes(normal(current)),
  );
  return last.at(-1)?.includes(normal(current)) === false;
}

const normal = (text: string): string => collapseWhiteSpace(text.replace(/[*`_"“”]/g, '')).toLowerCase();

function near(text: string, subject: string): string[] {
  const found: string[] = [];
  for (let at = text.indexOf(subject); at >= 0; at = text.indexOf(subject, at + 1))
    found.push(text.slice(at, at + subject.length + MAX_DISTANCE));
  return found;
}
