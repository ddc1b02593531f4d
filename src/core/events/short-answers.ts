import type { DetectedEvent, Span } from '../model/key-event.ts';
import { beginsWith, findConcepts, hasConcept } from './concepts.ts';
import { lineSpans } from '../text/lines.ts';
import { sentencesOf } from '../text/sentences.ts';
import { truncate } from '../text/truncate.ts';
import { subjectOf } from './subject.ts';

/** Longer answers say by themselves what they are about. */
const SHORT_ANSWER_WORDS = 12;
/** Length of the previous message's end that is searched, in UTF-16 units. */
const MAX_SEARCHED = 4000;
const MAX_QUOTE_LENGTH = 300;
/** A question with fewer content words doesn't say what it asks for. */
const MIN_CONTENT_WORDS = 2;

const CONFIRMED =
  /^\W*(?:confirmed|approved|agreed|confirmad[oa]|aprobad[oa]|aprovad[oa]|best[äa]tigt|genehmigt|confirm[ée]|approuv[ée]|確認しました|承認します|确认|批准)\W*$/iu;
const URGENT =
  /^\W*(?:(?:this is |it's |es ist |c'est |es |é )?(?:very |sehr |très |muy |muito )?)(?:urgent[eé]?|important[e]?|dringend|wichtig|importante|至急|緊急|紧急|重要)\W*$/iu;
/** A message that only confirms or stresses an earlier statement. */
const EMPHATIC = new RegExp(`${CONFIRMED.source}|${URGENT.source}`, 'iu');

/** Detects a user's emphatic message (`EMPHATIC`), which is worth keeping for the statement that it refers to. */
export function emphasisIn(text: string, before: string | undefined): DetectedEvent | undefined {
  const quote = text.trim();
  if (before === undefined || quote.length > 40 || !EMPHATIC.test(quote)) return undefined;
  const start = text.indexOf(quote);
  const confirms = CONFIRMED.test(quote);
  return {
    start,
    end: start + quote.length,
    kind: confirms ? 'decision' : 'constraint',
    quote,
    score: 0.6,
    importance: 2,
    reason: confirms ? 'confirms what was said before' : 'says how much what was said before matters',
  };
}

/** The name of an option in an answer: "option 3", "B", "do A", "the second", "方案二", "案B". */
const OPTION_NAME =
  /(?:option|opción|opcion|opção|opcao|variante|plan|proposal|approach|fase|phase|step|schritt|étape|方案|案|选项|選項|オプション|プラン|第|number|#|nr\.?|w\/|with|do|go with|mit|con|com|avec)\s?([A-Ha-h](?![\p{L}\p{N}])|\d{1,2}|[一二三四五])/iu;
/** The article "a", which looks like option A: in "go with a queue", but not in "go with a for now". */
const ARTICLE = /\b(?:[Ww]ith|[Dd]o|w\/|con|com|avec) a (?!(?:and|or|for|then|please|first|now)\b)\p{L}/gu;
const OPTION_ALONE = /^\W*([A-H]|\d{1,2})\W*$/;
const ORDINALS: readonly RegExp[] = [
  /\b(?:first|primera?|premi(?:er|ère)|erste[rns]?|primeir[ao])\b|第一|最初|一つ目|1つ目/iu,
  /\b(?:second|segund[ao]|deuxième|zweite[rns]?)\b|第二|二番目|二つ目|2つ目/iu,
  /\b(?:third|tercer[ao]?|troisième|dritte[rns]?|terceir[ao])\b|第三|三番目|三つ目|3つ目/iu,
];
const CHINESE_DIGITS = '一二三四五';

/**
 * The passage of the previous message that a short agreement or choice refers to: the named option, or else its last
 * proposal or question. Undefined if the event isn't such an answer or says by itself what it decides.
 */
export function proposalOf(event: DetectedEvent, before: string): (Span & { readonly quote: string }) | undefined {
  const isEmphatic = EMPHATIC.test(event.quote);
  if (!isEmphatic && (event.kind !== 'decision' || event.quote.length > 200)) return undefined;
  const hits = findConcepts(event.quote);
  const option = optionIn(event.quote);
  const isAnswer = beginsWith(hits, 'assent') || beginsWith(hits, 'refuse') || hasConcept(hits, 'decide');
  if (option === undefined && !isEmphatic && !(isAnswer && hits.length <= SHORT_ANSWER_WORDS)) return undefined;
  const from = Math.max(0, before.length - MAX_SEARCHED);
  const sentences = optionsAndSentences(before, from);
  let found: Span | undefined;
  if (option !== undefined)
    found = sentences.findLast((span) => labelOf(before.slice(span.start, span.start + 60)) === option);
  const proposals = sentences.filter((span) => {
    const quote = before.slice(span.start, span.end);
    return /[?？]\W*$/.test(quote) || hasConcept(findConcepts(quote), 'suggest');
  });
  // "Shall I do that?" refers to the proposal before it.
  found ??= proposals.findLast(
    ({ start, end }) => subjectOf(before.slice(start, end)).tokens.size >= MIN_CONTENT_WORDS,
  );
  found ??= proposals.at(-1);
  if (isEmphatic) found ??= sentences.at(-1);
  if (found === undefined) return undefined;
  const { start } = found;
  const quote = truncate(before.slice(start, found.end), MAX_QUOTE_LENGTH);
  return { start, end: start + quote.length, quote };
}

function optionIn(quote: string): string | undefined {
  const label = (OPTION_NAME.exec(quote.replace(ARTICLE, '')) ?? OPTION_ALONE.exec(quote))?.[1];
  if (label !== undefined) return normalLabel(label);
  const ordinal = ORDINALS.findIndex((pattern) => pattern.test(quote));
  return ordinal === -1 ? undefined : String(ordinal + 1);
}

/** The label at the beginning of an option: "2." → "2", "**B)**" → "B", "Option C:" → "C". */
function labelOf(line: string): string | undefined {
  const match =
    /^[\s*_#>-]*(?:option|opción|opção|variante|plan|方案|案|选项|オプション)?\s*[([（【]?([A-Ha-h]|\d{1,2}|[一二三四五])(?:[.)\]:：、）】]|\*\*|\s[-–—:])/iu.exec(
      line,
    );
  return match === null ? undefined : normalLabel(match[1]!);
}

function normalLabel(label: string): string {
  const digit = CHINESE_DIGITS.indexOf(label);
  return digit === -1 ? label.toUpperCase() : String(digit + 1);
}

/** Whole lines that start with an option's label, and the sentences of all other lines. */
function optionsAndSentences(text: string, from: number): Span[] {
  const spans: Span[] = [];
  for (const { start, end } of lineSpans(text, from)) {
    const line = text.slice(start, end);
    if (labelOf(line.slice(0, 60)) !== undefined) {
      const indent = line.length - line.trimStart().length;
      spans.push({ start: start + indent, end: start + line.trimEnd().length });
    } else spans.push(...sentencesOf(text, start, end));
  }
  return spans;
}
