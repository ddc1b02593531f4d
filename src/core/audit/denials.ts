import type { Span } from '../model/key-event.ts';

/** Words that deny, in languages of the product's transcripts; the last group is of scripts without spaces. */
const EACH_DENIAL =
  /\b(?:not|no|never|none|nothing|nobody|neither|nor|zero|hardly|doubt(?:s|ed)?|den(?:y|ies|ied)|disagree[ds]?|without|cannot|can[’']t|don[’']t|doesn[’']t|didn[’']t|won[’']t|wouldn[’']t|shouldn[’']t|couldn[’']t|isn[’']t|aren[’']t|wasn[’']t|weren[’']t|hasn[’']t|haven[’']t|hadn[’']t|refus\w+|reject\w+|fail(?:s|ed)? to|(?:stays?|keeps?|kept|left|leaves?) out|nicht|kein\w*|niemals|nie|ohne|ne|pas|jamais|aucune?|sans|não|nunca|nenhuma?|sem|nunca|jamás|ningun[oa]?|sin|non|mai|nessun[oa]?|senza|не|нет|никогда|без)\b|(?<![\p{L}])(?:не|нет|никогда|без)(?![\p{L}])|不|没|未|(?<![\d.:])\b0\s(?=\p{L})|ない|ません|않|없/giu;

/** Whether a sentence denies something. Two denials count as one: who reads them as none is rare. */
export const denies = (text: string): boolean => denialsIn(text).length > 0;

/** In Portuguese "no" is "in the". */
const PORTUGUESE = /[ãõ]|\b(?:da|dos|das|na|nas|ao|uma|são|foi|com|em|para)\b/iu;

/** Denials that may stand behind what they deny. */
const FOLLOWS = /^(?:nicht|nie|pas|jamais|ない|ません|않|없)/iu;

/** Denials of a thing, which may be told in two words: "no linter issues". */
const OF_THINGS = /^(?:no|zero|0\s|kein\w*|nenhuma?|ningun[oa]?|aucune?|nessun[oa]?)$/iu;

interface Denial extends Span {
  /** It may deny what stands before it. */
  readonly follows: boolean;
  /** It denies so many words behind it. */
  readonly reach: number;
}

/** Where a text denies something. */
export function denialsIn(text: string): Denial[] {
  const matches = [...text.matchAll(EACH_DENIAL)].filter(
    ([denial]) => !/^no$/i.test(denial) || !PORTUGUESE.test(text) || /\b(?:the|el|la|los|las)\b/i.test(text),
  );
  return matches.map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
    follows: FOLLOWS.test(match[0]),
    reach: /^[不没未]/.test(match[0]) ? 3 : OF_THINGS.test(match[0]) ? 2 : 1,
  }));
}

/** Words that deny without a denial: who skips something does not do it. */
const SOFT =
  /\b(?:otherwise|else|unless|except|nil|null|sinon|sonst|senao|senão|fail\w*|lack\w*|missing|exclusiv\w*|instead|rather|ignor\w*|skip\w*|avoid\w*|un(?:used|able|available|changed|likely|known)|exclud\w*|prevent\w*|drop\w*|remov\w*|only|solely|abandon\w*|declin\w*|forb\w+|prohibit\w*|dismiss\w*|falta\w*|falh\w*|evit\w*|ignor\w*|sólo|solo|só|apenas|somente|seul\w*|nur|statt\w*|fehl\w*|manqu\w*)\b|[❌✗✘🚫]/iu;

/** Whether a text denies something by what its words mean. */
export const deniesSoftly = (text: string): boolean => SOFT.test(text);

/** Where one clause ends and the next begins; a denial reaches no farther. */
const EACH_CLAUSE_END =
  /[.!?;:—–()]\s|[()。！？]|,\s|[，、；：]|\s(?:and|et|y|und|e|because|since|but|although|though|whereas|unless|which|and then|weil|aber|obwohl|porque|mas|pero|aunque|parce que|mais)\s/gi;

/** Where the clauses of a sentence end (UTF-16 offsets). */
export const clauseEnds = (sentence: string): number[] =>
  Array.from(sentence.matchAll(EACH_CLAUSE_END), (match) => match.index + 1);
