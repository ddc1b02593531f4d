import type { KeyEventKind } from '../model/key-event.ts';
import { withoutStopWords } from './stop-words.ts';
import { visitWords } from '../text/words.ts';

/** Another word for the same counts this much: "decided" where "chose" is sought. */
export const SYNONYM_WEIGHT = 0.6;

/** One thing that a text has to speak of, in the query's word or in another for the same. */
export interface SoughtTerm {
  readonly term: string;
  /** What else says it; worth less than the word itself. */
  readonly synonyms: readonly string[];
  /** True for a word that says how something was said ("choose"), beside others that say what ("database"). */
  readonly isManner: boolean;
}

export interface Query {
  readonly sought: readonly SoughtTerm[];
  /** Kinds of key events that the query asks about: "which … did we choose" is about decisions. */
  readonly kinds: ReadonlySet<KeyEventKind>;
}

/** Words with which people ask about a kind of key event, and with which they said it. As the index writes them. */
const ABOUT: readonly {
  readonly kinds: readonly KeyEventKind[];
  /** True where one of the words can stand for another. */
  readonly same: boolean;
  readonly words: string;
}[] = [
  {
    kinds: ['decision'],
    same: true,
    words: `choose chose chosen choice choosing decide decided decision decisions agree agreed pick picked settle settled
      go going use using entscheiden entschieden entscheidung wahlen wahlten gewahlt nehmen nehmt choisir choisi choisissons
      decider decidons prenons elegir elegimos elegido decidir decidimos decidido usamos usemos escolher escolhemos
      escolhido escolha decidiram usar 决定 选择 采用 决め 选用 採用 選び 決定`,
  },
  {
    kinds: ['error', 'outcome'],
    same: true,
    words: `error errors bug bugs failed failing failure crash crashed broken fix fixed fixes solved cause caused fehler
      absturz behoben gelost ursache erreur bogue corrige panne fallo arreglado causa erro corrigido falhou 错误 修复
      エラー 修正 原因`,
  },
  {
    kinds: ['constraint', 'preference'],
    same: false,
    words: `must never always rule rules require required requirement limit limits prefer preferred regel regeln pflicht
      immer nie niemals bevorzugt regle toujours jamais obligatoire regla reglas siempre nunca regra regras sempre 必须
      规则 必ず 決まり`,
  },
  {
    kinds: ['configuration', 'fact'],
    same: false,
    words: `port version setting settings configured configuration einstellung einstellungen reglage configuracion
      configuracao 端口 版本 设置 設定 バージョン`,
  },
  {
    kinds: ['todo'],
    same: false,
    words: `todo todos open pending left offen ausstehend reste pendiente pendientes pendente 待办 残り`,
  },
];

/** Things that go by several names, in several languages, or by the name of one of them. */
const NAMES: readonly (readonly string[])[] = [
  `database databases db datenbank sqlite postgres postgresql mysql mariadb mongodb mongo redis duckdb 数据 据库 データ タベ ベー`,
  `test tests testing unittest jest vitest mocha pytest prueba pruebas teste testes 测试 テス`,
  `deploy deployed deployment release released hosting hosted ausrollen despliegue deploiement 部署 デプ`,
  `login auth authentication anmeldung connexion oauth sesion 登录 ログ`,
  `dependency dependencies library libraries package packages abhangigkeit abhangigkeiten dependance dependencia 依赖 依存`,
  `framework frameworks react vue svelte angular express fastify django flask rails 框架`,
  `weekday week woche wochentag semaine semana 星期 曜日`,
].map((words) => words.split(' '));

const GROUPS = ABOUT.map(({ words, ...group }) => ({ ...group, words: words.split(/\s+/) }));

/** Reads a question or a few words as a search: what it asks for, and of which kind of key event. */
export function readQuery(text: string): Query {
  const terms = new Set<string>();
  visitWords(text, (term) => terms.add(term));
  const kinds = new Set<KeyEventKind>();
  const sought = withoutStopWords([...terms]).map((term): SoughtTerm => {
    const groups = GROUPS.filter(({ words }) => words.includes(term));
    for (const group of groups) for (const kind of group.kinds) kinds.add(kind);
    const others = [...groups.filter(({ same }) => same).map(({ words }) => words), ...NAMES].filter((words) =>
      words.includes(term),
    );
    const synonyms = others.flat().filter((word) => word !== term);
    return { term, synonyms, isManner: groups.some(({ same }) => same) };
  });
  // Where all are such words, they are what is sought.
  const allManner = sought.every(({ isManner }) => isManner);
  return { sought: allManner ? sought.map((one) => ({ ...one, isManner: false })) : sought, kinds };
}
