import type { Nearness } from './nearness.ts';
import type { PassageIndex } from './passage-index.ts';

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
  'clarified|required|needs?|reported|dropped|switched|pasted|shared|posted|supplied|handed|disliked|corrected|stated',
  'mandou|perguntou|avisou|observou|autorizou|recusou|confirmou|reclamou',
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
  'summari[sz]ed|moved|changed|modified|refactored|removed|renamed|replaced|concluded|explored|suspected|went|read',
  'turned|took|set|mocked|considered|looked|weighed|noted|planned|searched|traced|compared|inverted|gathered|examined',
  'queried|patched|compiled|finished|greeted|discovered|started|put|made|introduced|named',
  'mudou|descobriu|apontou|constatou|classificou|alertou|prop[oô]s|declarou|come[cç]ou|explicou|ofereceu|resolveu',
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

/** A sentence without the speaker who opens it. */
export const withoutSpeaker = (text: string): string =>
  text.replace(OPENS_USER, '').replace(OPENS_ASSISTANT, '').trim();

/** What is said of a speaker. */
type Said = 'demands' | 'acts' | 'says' | 'other';
/** How a speaker is named: as who does something, behind "by", elsewhere in a clause, or alone. */
type Named = 'subject' | 'by' | 'within' | 'alone';

/** A speaker whom a statement names. */
interface NamedSpeaker {
  readonly start: number;
  readonly end: number;
  readonly actor: Actor;
  /** In transcripts whose messages begin with their speaker's name. */
  readonly label: string | undefined;
}

const EACH_ACTOR =
  /(?<!\p{L})(?:(user|developer|utilisat(?:eur|rice)|us[uú][aá]ri[oa]|benutzer(?:in)?|nutzer(?:in)?|utente)|assistante?|assistente|asistente|assistent|agent)(?!\p{L})|(ユーザー|用户|用戶)(?!表)|アシスタント|助手/giu;
const BY = /(?:\bby|\bpel[oa]|\bpor|\bvon|\bpar)\s(?:the |o |a |el |la |de[mnr] |l['’])?$/i;
const OPENS_CLAUSE =
  /(?:^|[,;→—.] ?|\b(?:and|but|that|which|because|so|e|mas|que|y|und|et) )(?:the |o |a |el |la |der |die |l['’])?$/i;

/** The speakers that a text names, in order. */
function speakersIn(text: string, labels: readonly string[]): NamedSpeaker[] {
  if (labels.length === 0)
    return Array.from(text.matchAll(EACH_ACTOR), (match) => ({
      start: match.index,
      end: match.index + match[0].length,
      actor: (match[1] ?? match[2]) === undefined ? 'assistant' : 'user',
      label: undefined,
    }));
  const found: NamedSpeaker[] = [];
  const lower = text.toLowerCase();
  for (const label of labels) {
    const name = label.toLowerCase();
    for (let start = lower.indexOf(name); start >= 0; start = lower.indexOf(name, start + 1)) {
      const end = start + name.length;
      if (!/[\p{L}\p{N}]/u.test(text[end] ?? '')) found.push({ start, end, actor: 'user', label });
    }
  }
  return found.sort((one, other) => one.start - other.start);
}

function saidOf(after: string): Said {
  if (DEMANDS.test(after)) return 'demands';
  if (ACTS.test(after)) return 'acts';
  return SAYS.test(after) ? 'says' : 'other';
}

function namedAs(before: string, after: string): Named {
  if (BY.test(before)) return 'by';
  if (!/^ \p{Ll}|^['’]/u.test(after)) return 'alone';
  return OPENS_CLAUSE.test(before) ? 'subject' : 'within';
}

/**
 * How much nearer whoever is named must be to what is said than all others are, in shares of the nearest (-1…1). Users
 * ask, assistants act: who is said to do the other's part must be nearer. Nothing is concluded from what is not listed.
 */
const LEAD: Readonly<Record<Actor | 'label', Partial<Record<Named, Partial<Record<Said, number>>>>>> = {
  user: { subject: { demands: -0.85, acts: -0.3, says: -0.2 } },
  assistant: {
    subject: { demands: 0.39, acts: 0.1, says: 0 },
    by: { demands: 0.2, acts: 0.2, says: 0.2, other: 0.2 },
  },
  label: {
    subject: { demands: 0.1, acts: 0.1, says: 0.1, other: 0.1 },
    by: { demands: 0.2, acts: 0.2, says: 0.2, other: 0.2 },
    alone: { demands: 0, acts: 0, says: 0, other: 0 },
  },
};
/** The same of the actor who opens a statement whose verb is not listed, in another language than English. */
const UNLISTED = -0.25;

/** Whether someone else says or does what a statement has one of its speakers say or do. */
export function speakerDiffers(text: string, nearness: Nearness, index: PassageIndex): boolean {
  const named = speakersIn(text, index.speakers.all);
  return named.some(({ start, end, actor, label }, nth) => {
    const after = text.slice(end, named[nth + 1]?.start);
    const said = saidOf(after);
    const opens = label === undefined && said === 'other' && /^\W*(?:\p{L}{1,3}[ '’])?$/u.test(text.slice(0, start));
    const least =
      LEAD[label === undefined ? actor : 'label'][namedAs(text.slice(0, start), after)]?.[said] ??
      (opens && !LISTED.test(text) ? UNLISTED : undefined);
    if (least === undefined) return false;
    const own = nearness.around(start, (sentence) =>
      label === undefined ? sentence.role === actor : sentence.label === label,
    );
    const theirs = nearness.around(start, (sentence) =>
      label === undefined ? sentence.role === (actor === 'user' ? 'assistant' : 'user') : sentence.label !== label,
    );
    return own.share - theirs.share < least;
  });
}
