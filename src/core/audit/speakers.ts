import type { PassageIndex } from './passage-index.ts';
import { termsOf } from './statement-terms.ts';

type Actor = 'user' | 'assistant';

const ARTICLE = "(?:the |l['’]|el |la |o |a |der |die |il |lo )?";
const OPENS_USER = new RegExp(
  `^\\W*${ARTICLE}(?:user|developer|utilisat(?:eur|rice)|us[uú][aá]ri[oa]|benutzer(?:in)?|nutzer(?:in)?|utente)\\s(?=\\p{L})|^(?:ユーザー|用户|用戶)(?!表)`,
  'iu',
);
const OPENS_ASSISTANT = new RegExp(
  `^\\W*${ARTICLE}(?:assistante?|assistente|asistente|assistent)\\s(?=\\p{L})|^(?:アシスタント|助手)`,
  'iu',
);
/** The languages whose verbs are listed: of another verb nothing is concluded. */
const LISTED = /^\W*the /i;

const ADVERBS = "(?:then |also |later |first |again |finally |explicitly |repeatedly |has |have |had |d['’]abord )*";
const verbs = (...groups: readonly string[]): RegExp =>
  new RegExp(`^\\W*${ADVERBS}(?:${groups.join('|')})(?!\\p{L})`, 'iu');

/** What users do to assistants: they ask. */
const DEMANDS = verbs(
  'asked (?:for|to|that|the|how|which|what|why|a)|wants?|wanted|wished|requested|requests|insist(?:s|ed)|demand(?:s|ed)',
  'prefer(?:s|red)|object(?:s|ed)|complain(?:s|ed)|reject(?:s|ed)|refused|instructed|told|decided|chose|approved',
  'clarified|required|needs?',
  'pediu|escolheu|optou|quer|queria|preferiu|exigiu|solicitou',
  'pidi[oó]|eligi[oó]|quiere|quer[ií]a|prefiri[oó]',
  '(?:a )?demand[eé]|(?:a )?choisi|veut|voulait|souhaite|pr[eé]f[eè]re',
  'bat|w[aä]hlte|will|wollte|m[oö]chte|verlangte|bevorzugt',
  'chiese|scelse|ha chiesto|vuole|preferisce',
);
/** What assistants do for users. */
const ACTS = verbs(
  'implement(?:s|ed)|added|fixed|created|wrote|ran|found|updated|launched|verified|checked|investigated|analy[sz]ed',
  'recommend(?:s|ed)|explain(?:s|ed)|offered|apologi[sz]ed|listed|presented|propose[sd]|generated|installed|executed',
  'summari[sz]ed|moved|changed|modified|refactored|removed|renamed|replaced',
  'implementou|adicionou|corrigiu|criou|recomendou|encontrou|verificou|instalou|executou',
  'a[nñ]adi[oó]|corrigi[oó]|cre[oó]|recomend[oó]',
  '(?:a )?(?:ajout[eé]|corrig[eé]|cr[eé][eé]|recommand[eé])',
  'hat .{1,60}(?:hinzugef[uü]gt|behoben|erstellt|empfohlen)',
);
/** What either may do. */
const SAYS = verbs(
  'sa(?:id|ys)|suggest(?:s|ed)|report(?:s|ed)|admit(?:s|ted)|note[sd]|mention(?:s|ed)|point(?:s|ed) out|wonder(?:s|ed)',
  'asked (?:whether|if|about)|think(?:s)?|thought|believe[sd]?|agree[sd]?|confirm(?:s|ed)|answer(?:s|ed)|repl(?:ies|ied)',
  'warn(?:s|ed)|announced|advise[sd]|argue[sd]?|describe[sd]|edited|shared|provided|noticed|expect(?:s|ed)|assumed',
);

/** What whoever is said to have spoken must hold of a statement, of what the other holds. */
const LEAST = { asAlways: 0.35, asEver: 0.5, either: 0.75 } as const;
/** From here on the other, whose part it is mostly, is the one who said it. */
const THEIRS = { demand: 0.4, act: 0.75 } as const;

/** A sentence without the speaker who opens it. */
export const withoutSpeaker = (text: string): string =>
  text.replace(OPENS_USER, '').replace(OPENS_ASSISTANT, '').trim();

/** Whether someone else says what a statement has its speaker say or do. */
export function speakerDiffers(text: string, index: PassageIndex): boolean {
  const label = index.speakers.all.find((one) => speaks(one, text));
  if (label !== undefined) return labelDiffers(text, label, index);
  const actor: Actor | undefined = OPENS_USER.test(text)
    ? 'user'
    : OPENS_ASSISTANT.test(text)
      ? 'assistant'
      : undefined;
  if (actor === undefined) return false;
  const rest = withoutSpeaker(text);
  const terms = termsOf(rest);
  const other = actor === 'user' ? 'assistant' : 'user';
  const own = index.mostOf(terms, ({ role }) => role === actor);
  const theirs = index.mostOf(terms, ({ role }) => role === other);
  if (DEMANDS.test(rest)) return actor === 'user' ? own < LEAST.asAlways * theirs : theirs >= THEIRS.demand * own;
  if (ACTS.test(rest)) return actor === 'assistant' ? own < LEAST.asEver * theirs : theirs >= THEIRS.act * own;
  return (SAYS.test(rest) || !LISTED.test(text)) && own < LEAST.either * theirs;
}

/** Whether a clause of the text has this speaker for its subject. */
function speaks(label: string, text: string): boolean {
  const at = text.toLowerCase().indexOf(label.toLowerCase());
  return (
    at >= 0 &&
    /^ \p{Ll}/u.test(text.slice(at + label.length)) &&
    /(?:^|[,;] |\band )(?:the )?$/i.test(text.slice(0, at))
  );
}

function labelDiffers(text: string, label: string, index: PassageIndex): boolean {
  const terms = termsOf(text.replace(label, ''));
  const own = index.mostOf(terms, (sentence) => sentence.label === label);
  const others = index.speakers.all.filter((one) => one !== label);
  return others.some((one) => own < LEAST.either * index.mostOf(terms, (sentence) => sentence.label === one));
}
