/** Words that deny, in languages of the product's transcripts; the last group is of scripts without spaces. */
const NEGATION =
  /\b(?:not|no|never|none|nothing|nobody|neither|nor|without|cannot|can[’']t|don[’']t|doesn[’']t|didn[’']t|won[’']t|wouldn[’']t|shouldn[’']t|couldn[’']t|isn[’']t|aren[’']t|wasn[’']t|weren[’']t|hasn[’']t|haven[’']t|hadn[’']t|refus\w+|reject\w+|fail(?:s|ed)? to|(?:stays?|keeps?|kept|left|leaves?) out|nicht|kein\w*|niemals|nie|ohne|ne|pas|jamais|aucune?|sans|não|nunca|nenhuma?|sem|nunca|jamás|ningun[oa]?|sin|non|mai|nessun[oa]?|senza|не|нет|никогда|без)\b|(?<![\p{L}])(?:не|нет|никогда|без)(?![\p{L}])|不|没|未|\b0\s(?=\p{L})|ない|ません|않|없/iu;

/** Whether a sentence denies something. Two denials count as one: who reads them as none is rare. */
export function isNegated(text: string): boolean {
  return NEGATION.test(text);
}

/** "Without" denies what follows it, not what the clause says. */
const LACKING = /\b(?:without|sans|ohne|sin|sem|senza)\s+\S+(?:\s+\S+)?/giu;

/** Whether a clause denies what it speaks of, not only something beside it. */
export const isDenied = (clause: string): boolean => isNegated(clause.replace(LACKING, ''));

/** Where one clause ends and the next begins; a denial reaches no farther. */
const CLAUSE_END =
  /[.!?;:—–()]\s|[()。！？]|,\s|[，、；：]|\s(?:and|et|y|und|e|because|since|but|although|though|whereas|unless|which|and then|weil|aber|obwohl|porque|mas|pero|aunque|parce que|mais)\s/i;

/** The clauses of a sentence that have words of their own. */
export function clausesOf(sentence: string): string[] {
  return sentence.split(CLAUSE_END).filter((clause) => /\p{L}/u.test(clause));
}

const ACTS =
  'said|says|asked|asks|wants?|wanted|decided|decides|requested|requests|prefers?|preferred|insist(?:s|ed)|confirm(?:s|ed)|agree[sd]|complained|reject(?:s|ed)|pointed out|chose|demanded|told|suggest(?:s|ed)|propose[sd]|recommend(?:s|ed)|advise[sd]|explain(?:s|ed)|implement(?:s|ed)|added|fixed|created|wrote|ran|found|updated|replied|answered|apologized';

/** A speaker, and within the same sentence what the speaker did. */
const USER = new RegExp(
  `\\b(?:user|customer|client|developer|utilisateur|usuário|usuario|cliente|benutzer|nutzer|kunde)\\b[^.]{0,40}?\\b(?:${ACTS})\\b`,
  'i',
);
const ASSISTANT = new RegExp(
  `\\b(?:assistant|model|agent|bot|assistante|assistente|asistente|assistent)\\b[^.]{0,40}?\\b(?:${ACTS})\\b`,
  'i',
);

/** A speaker who opens the sentence, in languages whose verbs are not listed: who opens it acts in it. */
const OPENS_USER =
  /^(?:l['’]utilisat(?:eur|rice)|(?:el|la|o|a) us(?:uario|uário|uaria|uária)|der (?:benutzer|nutzer)|die (?:benutzerin|nutzerin)|l['’]utente|ユーザー|用户|用戶)(?![\p{L}]*表)/iu;
const OPENS_ASSISTANT =
  /^(?:l['’]assistant|(?:el|la) asistente|[oa] assistente|der assistent|l['’]assistente|アシスタント|助手)/iu;

/** A sentence without the speaker who opens it. */
export const withoutSpeaker = (text: string): string =>
  text.replace(OPENS_USER, '').replace(OPENS_ASSISTANT, '').trim();

/** Who a sentence says has spoken or acted; undefined where it does not say, or names both. */
export function speakerOf(text: string): 'user' | 'assistant' | undefined {
  const user = USER.test(text) || OPENS_USER.test(text);
  const assistant = ASSISTANT.test(text) || OPENS_ASSISTANT.test(text);
  if (user === assistant) return undefined;
  return user ? 'user' : 'assistant';
}
