import type { Span } from '../model/key-event.ts';

/** A longer sentence is cut at a clause, then at a space: a quote is a sentence, not a page. */
const LONG = 260;
const SHORTEST = 12;

/**
 * Where a clause of another nature begins behind a comma or a dash: a request behind a statement ("…, can you help me"),
 * or a standing instruction behind a request ("…, and always add a test").
 */
const OTHER_CLAUSE =
  /[,;:–—。，、；](?:\s+|(?<=[。，、；]))(?=(?:(?:and|but|so|also|y|e|et|und|aber|mas|pero|mais|oder|or)\s+)?(?:(?:can|could|would|will) you|please|help me|i(?:'d| would)? (?:prefer|like|want|need|rather)|(?:i )?(?:always|never)|do(?:n't| not)|puedes|podr[ií]as?|por favor|prefiero|quiero|siempre|nunca|ay[úu]dame|pode(?:ria)?s?|voc[êe] pode|prefiro|quero|sempre|peux-tu|pouvez-vous|s'il (?:te|vous)|je (?:pr[ée]f[èe]re|veux|voudrais)|toujours|jamais|kannst du|k[öo]nnte(?:st du|n sie)|k[öo]nnen sie|bitte|ich (?:m[öo]chte|bevorzuge|will|h[äa]tte)|immer|niemals|请|請|帮我|能不能|不要|总是)(?![\p{Ll}]))/giu;

/** Cuts a sentence into the clauses that say different things, and what is still too long at marks or spaces. */
export function clausesOf(text: string, { start, end }: Span): Span[] {
  const spans: Span[] = [];
  let from = start;
  for (const match of text.slice(start, end).matchAll(OTHER_CLAUSE)) {
    const cut = start + match.index;
    if (cut - from < SHORTEST || end - cut < SHORTEST) continue;
    addWithin(text, from, cut, spans);
    from = cut + match[0].length;
  }
  addWithin(text, from, end, spans);
  return spans;
}

/** Cuts at the last clause mark before the limit, else at the last space, else at the limit; never inside a pair. */
function addWithin(text: string, from: number, to: number, spans: Span[]): void {
  let start = from;
  while (to - start > LONG) {
    const head = text.slice(start, start + LONG);
    const clause = Math.max(...['; ', '；', ' — ', ' – '].map((mark) => head.lastIndexOf(mark) + 1));
    const comma = Math.max(...[', ', '，', '、'].map((mark) => head.lastIndexOf(mark) + 1));
    const space = head.lastIndexOf(' ') + 1;
    let cut = clause > 40 ? clause : comma > 120 ? comma : space > 40 ? space : LONG;
    if (/[\uD800-\uDBFF]$/.test(head.slice(0, cut))) cut--;
    const trimmed = head.slice(0, cut).trimEnd();
    if (trimmed !== '') spans.push({ start, end: start + trimmed.length });
    start += cut;
    while (start < to && /\s/.test(text[start]!)) start++;
  }
  if (start < to) spans.push({ start, end: to });
}
