import { HOLLOW } from '../events/subject.ts';
import { plain } from './closed-words.ts';
import { stemOf } from './stem.ts';
import { meaningOf } from './synonyms.ts';

/** Whether two words, as they are written, are forms or synonyms of one another. */
export const meansTheSame = (one: string, other: string): boolean =>
  meaningOf(stemOf(plain(one))) === meaningOf(stemOf(plain(other)));

/** The form under which a term is looked up; undefined for words too short or common to tell anything. */
export function wordOf(kind: 'word' | 'name', term: string): string | undefined {
  const lower = plain(term);
  // Pairs of hiragana are endings and particles, mostly.
  if (/^[\u3041-\u309f]+$/.test(lower)) return undefined;
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
    'yet already also still even ever longer actually really currently either rather quite much many several while ' +
    'because since though although however otherwise within during toward towards between under over through per ' +
    'get gets got being gets able exist exists existing whether ' +
    'ja ainda tambem mais menos muito ate entao foi foram sido esta estao estava estavam sao eram era tem ter havia ' +
    'haviam teria seria deve devem durante pelo pela pelos pelas quando como entre cada ' +
    'ya todavia aun tambien mas menos muy esta estan estaba fueron sido tiene habia debe durante cuando como entre cada ' +
    'deja encore aussi plus moins tres etait etaient ont avait doit pendant quand comme entre chaque ' +
    'schon noch auch mehr weniger sehr wird werden wurde wurden hat hatte haben muss soll wahrend wenn wie zwischen ' +
    'gia ancora anche piu meno molto sono stato stata erano aveva deve durante quando come tra ogni ' +
    'said says asked wants wanted decided told agreed noted suggested proposed rejected preferred prefers ' +
    'usuario usuaria utilisateur utilisatrice benutzer benutzerin nutzer utente asistente assistente assistent ' +
    'pidio sugirio propuso prefiere dijo quiere pediu sugeriu propos prefere disse quer demande suggere propose prefere ' +
    'dit veut bat schlug vor mochte sagte will chiesto proposto preferisce detto vuole poder pode puo kann peut puede'
  ).split(' '),
);
