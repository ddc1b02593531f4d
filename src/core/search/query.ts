import type { KeyEventKind } from '../model/key-event.ts';
import { STOP_WORDS_BY_LANGUAGE } from '../text/stop-words.ts';
import { wordsIn } from '../text/words.ts';

/** Weight of a synonym, such as "decided" for "chose". */
export const SYNONYM_WEIGHT = 0.6;

/** A query term and its synonyms; a text matches with any of them. */
export interface QueryTerm {
  readonly term: string;
  readonly synonyms: readonly string[];
  /** Whether it only says what kind of event is wanted ("choose"), and another term names the subject ("database"). */
  readonly isKindTerm: boolean;
}

export interface Query {
  readonly terms: readonly QueryTerm[];
  /** Kinds of key events that the query asks for: "which … did we choose" asks for decisions. */
  readonly kinds: ReadonlySet<KeyEventKind>;
}

/** Words that ask for or state a kind of key event, normalized like indexed words, and whether they are synonyms. */
const KIND_WORDS: readonly { kinds: readonly KeyEventKind[]; areSynonyms: boolean; words: string }[] = [
  {
    kinds: ['decision'],
    areSynonyms: true,
    words: `choose chose chosen choice choosing decide decided decision decisions agree agreed pick picked settle settled
      go going use using entscheiden entschieden entscheidung wahlen wahlten gewahlt nehmen nehmt choisir choisi choisissons
      decider decidons prenons elegir elegimos elegido decidir decidimos decidido usamos usemos escolher escolhemos
      escolhido escolha decidiram usar 决定 选择 采用 决め 选用 採用 選び 決定`,
  },
  {
    kinds: ['error', 'outcome'],
    areSynonyms: true,
    words: `error errors bug bugs failed failing failure crash crashed broken fix fixed fixes solved cause caused fehler
      absturz behoben gelost ursache erreur bogue corrige panne fallo arreglado causa erro corrigido falhou 错误 修复
      エラー 修正 原因`,
  },
  {
    kinds: ['constraint', 'preference'],
    areSynonyms: false,
    words: `must never always rule rules require required requirement limit limits prefer preferred regel regeln pflicht
      immer nie niemals bevorzugt regle toujours jamais obligatoire regla reglas siempre nunca regra regras sempre 必须
      规则 必ず 決まり`,
  },
  {
    kinds: ['configuration', 'fact'],
    areSynonyms: false,
    words: `port version setting settings configured configuration einstellung einstellungen reglage configuracion
      configuracao 端口 版本 设置 設定 バージョン`,
  },
  {
    kinds: ['todo'],
    areSynonyms: false,
    words: `todo todos open pending left offen ausstehend reste pendiente pendientes pendente 待办 残り`,
  },
];

/** Synonyms: the same word in several languages, and product names with their category (postgres, database). */
const SYNONYMS: readonly (readonly string[])[] = [
  `database databases db datenbank sqlite postgres postgresql mysql mariadb mongodb mongo redis duckdb 数据 据库 データ タベ ベー`,
  `test tests testing unittest jest vitest mocha pytest prueba pruebas teste testes 测试 テス`,
  `deploy deployed deployment release released hosting hosted ausrollen despliegue deploiement 部署 デプ`,
  `login auth authentication anmeldung connexion oauth sesion 登录 ログ`,
  `dependency dependencies library libraries package packages abhangigkeit abhangigkeiten dependance dependencia 依赖 依存`,
  `framework frameworks react vue svelte angular express fastify django flask rails 框架`,
  `weekday week woche wochentag semaine semana 星期 曜日`,
].map((words) => words.split(' '));

const KIND_GROUPS = KIND_WORDS.map(({ words, ...group }) => ({ ...group, words: words.split(/\s+/) }));

/** In UTF-16 units. Of a longer text, both ends are searched for: before or after the question is pasted text. */
const MAX_QUERY = 1_000;

export const queryIn = (text: string): string =>
  text.length <= MAX_QUERY ? text : `${text.slice(0, MAX_QUERY / 2)}\n${text.slice(-MAX_QUERY / 2)}`;

/** Parses a question or a few words into terms and the kinds of key events that it asks for. */
export function parseQuery(text: string): Query {
  const kinds = new Set<KeyEventKind>();
  const sought = withoutStopWords([...wordsIn(queryIn(text))]).map((term): QueryTerm => {
    const groups = KIND_GROUPS.filter(({ words }) => words.includes(term));
    for (const group of groups) for (const kind of group.kinds) kinds.add(kind);
    const synonymousGroups = groups.filter(({ areSynonyms }) => areSynonyms).map(({ words }) => words);
    const synonyms = [...synonymousGroups, ...SYNONYMS.filter((words) => words.includes(term))].flat();
    return { term, synonyms: synonyms.filter((word) => word !== term), isKindTerm: synonymousGroups.length > 0 };
  });
  // If every term is a kind term, they are the subject.
  const areAllKindTerms = sought.every(({ isKindTerm }) => isKindTerm);
  return { terms: areAllKindTerms ? sought.map((one) => ({ ...one, isKindTerm: false })) : sought, kinds };
}

/** Removes the stop words of the language with the most of them in the query, unless nothing would be left. */
function withoutStopWords(terms: readonly string[]): readonly string[] {
  let best: readonly string[] = terms;
  for (const words of STOP_WORDS_BY_LANGUAGE.values()) {
    const rest = terms.filter((term) => !words.has(term));
    if (rest.length < best.length) best = rest;
  }
  return best.length === 0 ? terms : best;
}
