import { findConcepts, hasConcept } from './concepts.ts';
import { fold } from '../text/fold.ts';
import { isCjkUnit } from '../text/cjk.ts';
import type { Concept } from './lexicon.ts';

/** The subject of an event, in a form that can be compared and looked up. */
export interface Subject {
  /** Content words and identifiers; pairs of characters in scripts without spaces. */
  readonly tokens: ReadonlySet<string>;
  /** Numbers, versions, and truth values, which a later event on the same subject may change. */
  readonly values: ReadonlySet<string>;
  /**
   * Tokens with a digit, labels of one character ("option B"), and words with a sign ("C++", "10%"). Quotes that differ
   * only in these, such as the name of an option or branch, have different subjects.
   */
  readonly codes: ReadonlySet<string>;
  /** All words in order, normalized: equal for texts that only differ in case, accents, punctuation, and spaces. */
  readonly normal: string;
  /** Says that something is replaced: "instead", "no longer". */
  readonly replaces: boolean;
  /** Reverses an earlier choice: "moves to", "after all". */
  readonly reverses: boolean;
  /** Says what something uses, or where it runs or is kept. */
  readonly statesChoice: boolean;
  /** The first two content words, which name the subject; '' in scripts without spaces. */
  readonly lead: string;
  /** Words and values that don't apply anymore: "8443, not 8080" denies 8080. */
  readonly denied: ReadonlySet<string>;
  /** Words that a change of plan gives up. Everything decided about them is superseded. */
  readonly revoked: ReadonlySet<string>;
  /** Says that something is broken. */
  readonly faulty: boolean;
  readonly negative: boolean;
  /** Says that something works again, is done, or was fixed. */
  readonly resolves: boolean;
  readonly failedAttempt: boolean;
}

/** Maximum number of tokens, which bounds the cost of an event. More don't make a subject clearer. */
const MAX_TOKENS = 40;
/** Length of a quote's beginning that is read, in UTF-16 units, which bounds the cost. */
const MAX_READ = 600;

/** Words that don't say what a quote is about. */
export const FUNCTION_WORDS: ReadonlySet<string> = new Set(
  (
    'the a an to of in on for with by at as it its this that these those and or but so be is are was were been will would can could should must may do does did not no yes please now then also just we i you they he she our my your me us them from into than ' +
    'actually decided decide decision ' +
    'always never use using used have has had get want need let lets go make sure more very only too there here what which when where how why all each every any some one instead ok okay sure don doesn didn isn aren won ' +
    'ahora el la los las un una unos unas de del al en con por para que y o pero es son fue ser no si se lo le su sus mi tu nos este esta esto eso siempre nunca usa usar use ' +
    'agora o os as um uma uns umas do da dos das no na nos nas em com por para que e ou mas foi ser nao sim se seu sua meu minha este esta isso sempre nunca utilize ' +
    'maintenant le la les un une des du de au aux en dans avec par pour que qui et ou mais est sont ete etre ne pas non oui se ce cette ces son sa ses mon ma toujours jamais utilise on nous vous je tu il ' +
    'jetzt der die das den dem des ein eine einen einem einer und oder aber ist sind war sein nicht kein keine ja nein zu zum zur im in auf mit von fur bei als es wir ihr sie ich du immer nie bitte verwende nutze ' +
    'il lo gli uno di del della che e non si sempre mai usa'
  ).split(' '),
);

/** Nouns whose number is a name, such as "invoice 12", and not a value that could change. */
const NUMBERED: ReadonlySet<string> = new Set(
  (
    'invoice order ticket issue bug case customer rechnung bestellung auftrag kunde fall factura pedido caso cliente ' +
    'fatura encomenda facture commande dossier client'
  ).split(' '),
);

const REPLACING =
  /\b(?:instead|rather|no longer|anymore|switch(?:ed|ing)?|chang(?:e|ed|ing) (?:it |that |this )?(?:to|from|back)|mov(?:e|ed|ing) to|replac\w+|actually|not .{1,40} but|from now on|revert\w*|en vez|en lugar|ya no|cambi\w+|a partir de ahora|mejor|em vez|ao inves|agora|mud\w+|troc\w+|au lieu|plutot|desormais|finalement|remplac\w+|statt\w*|anstatt|doch|lieber|ab jetzt|nicht mehr|wechsel\w*|umstell\w*|invece)\b|代わり|やっぱり|やはり|今後|変更|切り替え|にする|ではなく|改成|改用|改为|换成|而不是|不再|还是用|以后/;
/** Whether a quote says that something is replaced, changed, or corrected. */
export const saysReplacement = (quote: string): boolean => REPLACING.test(fold(quote.slice(0, MAX_READ)));

const REVERSING =
  /\w after all\b|\b(?:(?:moves|switches|changes) (?:over )?to|on second thoughts?|finalement|en fin de compte|finalmente|al final|no fim das contas|(?:nun|jetzt|dann) doch)\b/;
const CHOICE =
  /\b(?:(?:built|based|runs?|running|is|are|sits?|lives?|stays?|stored|hosted|kept) (?:on|in|at|with)|uses?|goes with|lauft auf|liegt (?:auf|in)|usa|utilise)\b/;
/** A denied word: after the negation, ignoring articles; in Japanese, before it. */
const DENIED =
  /(?:\b(?:not|no|without|instead of|rather than|no longer|nicht mehr|nicht|kein(?:e[nm]?)?|statt|anstatt|pas|plus|au lieu d[eu']|plutot que|en vez de|en lugar de|ya no|nao|nem|em vez de|ao inves de|non|invece di)\s+(?:(?:use|on|to|the|a|an|port|auf|an|el|la|los|le|les|de|du|o|os|der|die|das|den|puerto|porta|porto|usar|usa)\s+){0,2}|不是|而不是|不再用|不再是|不用|不要用|替代|代替|取代)\s*([\p{L}\p{N}_][\p{L}\p{N}_.+-]*)|([a-z0-9_][a-z0-9_.+-]*)\s?(?:ではなく|じゃなく|をやめ|の代わり)/gu;
/** An announced change of plan, which gives up what it denies or drops. */
const PLAN_CHANGED =
  /\b(?:change of plans?|plans? (?:has |have )?changed|on second thoughts?|scrap|ditch|drop|forget(?: about)?|abandon|cambio de planes?|planes? cambi\w+|descart\w+|olvid\w+|mudanca de planos?|esquec\w+|changement de plan|abandonn\w+|laisse(?:z|r)? tomber|planander\w*|neuer plan|verwerf\w*|vergiss)\b|計画変更|方針変更|改计划|计划有变|放弃/;
/** A word after a verb such as "drop". */
const DROPPED =
  /\b(?:scrap|ditch|drop(?:ped)?|forget(?: about)?|abandon(?:ed)?|descart(?:amos|a|ar|o)|olvida(?:mos)?|esquece|abandonn(?:e|ons|er)|vergiss)\s+(?:(?:the|all|el|la|los|las|o|a|le|les|den|die|das)\s+)?([\p{L}\p{N}_][\p{L}\p{N}_.+-]*)/gu;
/** A word or number with its sign. A dash after a word isn't a minus sign. */
const WORD =
  /(?:(?<![\p{L}\p{N}_)\]])(?<minus>-)(?=\d))?(?<word>[\p{L}\p{N}_]+(?:[.\-/'@:][\p{L}\p{N}_]+)*)(?<sign>%|\+\+|#(?![\p{L}\p{N}_]))?/gu;
/** A label of one character: a capital in a sentence, a letter after "option", or a numeral after its Chinese word. */
const LABEL =
  /(?<=[^\p{Lu}\p{Ll}\p{N}_'’.])(?!I)\p{Lu}(?!\.?[\p{Lu}\p{Ll}\p{N}_'’+#])|(?<=\b(?:[Oo]ption|[Pp]lan|[Vv]ariante?|[Oo]pci[oó]n|[Oo]p[cç][aã]o|[Pp]hase|[Ff]ase|[Ss]tep) )[a-z](?![\p{L}\p{N}_])|(?<=[案项項第])[一二三四五六七八九十]/gu;
const TRIED = /^(?:tried|already tried)/;

export function subjectOf(quote: string): Subject {
  const text = fold(quote.slice(0, MAX_READ));
  const tokens = new Set<string>();
  const values = new Set<string>();
  const codes = new Set<string>();
  const normal: string[] = [];
  let previous = '';
  for (const [label] of quote.slice(0, MAX_READ).matchAll(LABEL)) codes.add(label.toLowerCase());
  for (const { 0: signed, index, groups } of text.matchAll(WORD)) {
    const { minus = '', word = '', sign = '' } = groups!;
    normal.push(signed);
    if (sign !== '') codes.add(signed);
    if (isCjkUnit(word.charCodeAt(0))) {
      for (const [run] of word.matchAll(/[^\s]{2}/gu)) if (tokens.size < MAX_TOKENS) tokens.add(run);
      for (let i = 1; i + 1 < word.length && tokens.size < MAX_TOKENS; i += 2) tokens.add(word.slice(i, i + 2));
      for (const [number] of word.matchAll(/\d+(?:\.\d+)*/g)) values.add(number);
      continue;
    }
    const isName = text[index - 1] === '#' || NUMBERED.has(previous);
    previous = word;
    if (!isName && (/^v?\d[\d.,:]*[a-z]{0,3}$/.test(word) || word === 'true' || word === 'false'))
      values.add(minus + word);
    else if (word.length > 1 && !FUNCTION_WORDS.has(word) && tokens.size < MAX_TOKENS) {
      const token = withoutLineNumber(word);
      tokens.add(token);
      if (/\d/.test(token)) codes.add(token);
    }
  }
  const denied = new Set<string>();
  for (const [, after, before] of text.matchAll(DENIED)) denied.add(withoutFinalMarks(after ?? before ?? ''));
  const revoked = new Set<string>();
  if (PLAN_CHANGED.test(text)) {
    for (const word of denied) if (tokens.has(word)) revoked.add(word);
    for (const [, dropped = ''] of text.matchAll(DROPPED)) {
      const word = withoutFinalMarks(dropped);
      if (tokens.has(word)) revoked.add(word);
    }
  }
  const hits = findConcepts(quote.slice(0, MAX_READ));
  const has = (concept: Concept): boolean => hasConcept(hits, concept);
  const failedAttempt = has('fail') || TRIED.test(text);
  return {
    tokens,
    values,
    codes,
    normal: normal.join(' '),
    replaces: REPLACING.test(text),
    reverses: REVERSING.test(text),
    statesChoice: CHOICE.test(text) && !has('open'),
    lead: leadOf(tokens),
    denied,
    revoked,
    faulty: has('fault') && !has('faultless'),
    negative: has('forbid') || has('not'),
    resolves: !failedAttempt && (has('done') || has('faultless')),
    failedAttempt,
  };
}

const withoutFinalMarks = (word: string): string => word.replace(/[.+-]+$/, '');

function leadOf(tokens: ReadonlySet<string>): string {
  const lead = [...tokens].slice(0, 2);
  return lead.length === 2 && lead.every((word) => !isCjkUnit(word.charCodeAt(0))) ? lead.join(' ') : '';
}

/** Removes a line number, so that references to different lines of a file have the same subject. */
const withoutLineNumber = (word: string): string => (/[./]/.test(word) ? word.replace(/(?::\d+){1,2}$/, '') : word);

/** Jaccard similarity, 0…1. */
export function similarity(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = overlap(a, b);
  const all = a.size + b.size - shared;
  return all === 0 ? 1 : shared / all;
}

export function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  const [few, many] = a.size < b.size ? [a, b] : [b, a];
  for (const token of few) if (many.has(token)) shared++;
  return shared;
}

export const sameMembers = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean =>
  a.size === b.size && overlap(a, b) === a.size;
