import type { TranscriptMessage } from '../../../src/core/transcript/transcript-message.ts';
import { Random } from '../../support/random.ts';

/** Where a fact is hidden. */
export type Carrier = 'user' | 'assistant' | 'tool' | 'comment' | 'language';

/** A fact that is mentioned once, without any keyword. It's kept if `text` is in the context. */
export interface Fact {
  readonly text: string;
  readonly carrier: Carrier;
  readonly message: number;
}

const PEOPLE = ['Rosalind', 'Tomasz', 'Ingrid', 'Kwame', 'Beatriz', 'Hollis', 'Yara', 'Matteo', 'Sunniva', 'Piers'];
const THINGS = ['brass ladder', 'tide chart', 'green canoe', 'guest ledger', 'spare lantern', 'oak bench', 'kite box'];
const PLACES = ['Tromsø', 'Hangar Seven', 'the north pier', 'Quillon Street', 'the mill loft', 'Varna', 'the old kiln'];
const LANGUAGES = [
  ['{p} lagert die alte Standuhr bei {q}', '{p} fährt mit dem Kahn nach {q}'],
  ['{p} guarda el farol viejo cerca de {q}', '{p} duerme los jueves en {q}'],
  ['{p} range la vieille barque près de {q}', '{p} dort le jeudi à {q}'],
  ['{p}は古い舟を{q}の横に置いている', '{p}は木曜日に{q}で眠る'],
  ['{p}把旧船放在{q}旁边', '{p}星期四在{q}过夜'],
] as const;
const ENGLISH = [
  '{p} parks the {t} beside {q}',
  'the {t} at {q} belongs to {p}',
  '{p} walks past {q} with the {t} on Thursdays',
  'the {t} went from {p} to {q} by boat',
] as const;

const CARRIERS: readonly Carrier[] = ['user', 'assistant', 'tool', 'comment', 'language'];

/** Hides `count` facts in a transcript, evenly spread, but none in the newest 60 messages. */
export function plantFacts(
  transcript: readonly TranscriptMessage[],
  count: number,
  seed = 7,
): { readonly transcript: readonly TranscriptMessage[]; readonly facts: readonly Fact[] } {
  const random = new Random(seed);
  const messages = [...transcript];
  const facts: Fact[] = [];
  const used = new Set<string>();
  const last = Math.max(count, transcript.length - 60);
  const wanted = (carrier: Carrier): TranscriptMessage['role'] =>
    carrier === 'user' || carrier === 'language' ? 'user' : carrier === 'tool' ? 'tool' : 'assistant';
  for (let n = 0; n < count; n++) {
    const carrier = CARRIERS[n % CARRIERS.length]!;
    let at = Math.floor((n * last) / count);
    const end = Math.floor(((n + 1) * last) / count);
    const found = messages.findIndex((one, index) => index >= at && index < end && one.role === wanted(carrier));
    if (found >= 0) at = found;
    const text = sentence(carrier, random, used);
    const message = messages[at]!;
    messages[at] = { role: message.role, text: insert(message.text, text, carrier, random) };
    facts.push({ text, carrier, message: at });
  }
  return { transcript: messages, facts };
}

function sentence(carrier: Carrier, random: Random, used: Set<string>): string {
  for (;;) {
    const template = carrier === 'language' ? random.pick(random.pick(LANGUAGES)) : random.pick(ENGLISH);
    const values: Readonly<Record<string, string>> = {
      p: random.pick(PEOPLE),
      t: random.pick(THINGS),
      q: random.pick(PLACES),
    };
    const text = template.replace(/\{(\w)\}/g, (whole, key: string) => values[key] ?? whole);
    if (used.has(text)) continue;
    used.add(text);
    return text;
  }
}

function insert(text: string, fact: string, carrier: Carrier, random: Random): string {
  const lines = text.split('\n');
  const line = carrier === 'comment' ? `  // ${fact}` : carrier === 'tool' ? `  ${fact}` : `${fact}.`;
  const fence = lines.findIndex((one) => one.startsWith('```'));
  const inside = (carrier === 'comment' || carrier === 'tool') && fence >= 0;
  if (carrier === 'comment' && !inside) return `${text}\n\n\`\`\`ts\n${line}\nrun();\n\`\`\``;
  const at = inside ? fence + 2 + random.below(Math.max(1, lines.length - fence - 3)) : random.below(lines.length + 1);
  const outside = !inside && fence >= 0 ? Math.min(at, fence) : at;
  lines.splice(outside, 0, line);
  return lines.join('\n');
}

/** The facts that a text contains, ignoring white space. */
export function factsIn(facts: readonly Fact[], text: string): readonly Fact[] {
  const plain = collapseWhiteSpace(text);
  return facts.filter((fact) => plain.includes(collapseWhiteSpace(fact.text)));
}

export const collapseWhiteSpace = (text: string): string => text.replace(/\s+/g, ' ');
