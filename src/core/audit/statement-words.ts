import { TermCursor, type TermKind } from '../compress/terms.ts';
import { HOLLOW } from '../events/subject.ts';
import { plain } from './closed-words.ts';
import { stemOf } from './stem.ts';
import { meaningOf } from './synonyms.ts';

/** What a text mentions. */
export interface Mentions {
  readonly words: ReadonlySet<string>;
  readonly numbers: ReadonlySet<string>;
  /** Identifiers, paths, URLs, and capitalized words that do not start a sentence. */
  readonly names: ReadonlySet<string>;
}

/** The words, numbers and names of a text, in the form in which they are looked up. */
export function mentions(text: string): Mentions {
  const words = new Set<string>();
  const numbers = new Set<string>();
  const names = new Set<string>();
  let first = true;
  const term = new TermCursor(text, 0, text.length);
  while (term.next()) {
    const { kind, start, end } = term;
    const word = wordOf(kind, text.slice(start, end));
    const starts = first || /[.!?:]["”')]?\s+$|\n\W*$/.test(text.slice(Math.max(0, start - 4), start));
    first = false;
    if (word === undefined) continue;
    words.add(word);
    if (kind === 'number') numbers.add(word);
    else if (kind === 'identifier' || kind === 'url' || (kind === 'name' && !starts)) names.add(word);
  }
  return { words, numbers, names };
}

/** Whether two words, as they are written, are forms or synonyms of one another. */
export const meansTheSame = (one: string, other: string): boolean =>
  meaningOf(stemOf(plain(one))) === meaningOf(stemOf(plain(other)));

/** The form under which a term is looked up; undefined for words too short or common to tell anything. */
export function wordOf(kind: TermKind, term: string): string | undefined {
  if (kind === 'identifier' || kind === 'url') return term.toLowerCase();
  if (kind === 'number') return term.replace(/(?<=\d)[,.'’\s](?=\d{3}\b)/g, '');
  const lower = plain(term);
  if (STOP_WORDS.has(lower) || HOLLOW.has(lower)) return undefined;
  if (lower.length < 3 && lower.charCodeAt(0) < 0x2e80) return kind === 'name' ? lower : undefined;
  return meaningOf(stemOf(lower));
}

/** Words of a summary that stand in every text or tell of the telling, not of what is told. */
const STOP_WORDS = new Set(
  (
    'the a an and or but if then else of to in on at by for from with without into about as is are was were be been ' +
    'being has have had do does did will would shall should can could may might must not no this that these those it ' +
    'its he she they them their his her we our you your i me my who what which when where why how there here so than ' +
    'too very just also only own same such more most some any all each both few other again once user assistant ' +
    'said says asked wants wanted decided told agreed noted suggested proposed rejected preferred prefers ' +
    'usuario usuaria utilisateur utilisatrice benutzer benutzerin nutzer utente asistente assistente assistent ' +
    'pidio sugirio propuso prefiere dijo quiere pediu sugeriu propos prefere disse quer demande suggere propose prefere ' +
    'dit veut bat schlug vor mochte sagte will chiesto proposto preferisce detto vuole poder pode puo kann peut puede'
  ).split(' '),
);
