import type { KeyEventKind } from '../model/key-event.ts';
import { withoutStopWords } from './stop-words.ts';
import { visitWords } from '../text/words.ts';

/** Weight of a synonym: "decided" where the query says "chose". */
export const SYNONYM_WEIGHT = 0.6;

/** A query term and its synonyms; a text matches with any of them. */
export interface SoughtTerm {
  readonly term: string;
  /** Count less than the term itself. */
  readonly synonyms: readonly string[];
  /** True for a word about how something was said ("choose") beside others about what ("database"). */
  readonly isManner: boolean;
}

export interface Query {
  readonly sought: readonly SoughtTerm[];
  /** Kinds of key events that the query asks about: "which … did we choose" is about decisions. */
  readonly kinds: ReadonlySet<KeyEventKind>;
}

/** Words people use to ask about a kind of key event, and to state one. As the index folds them. */
const ABOUT: readonly {
  readonly kinds: readonly KeyEventKind[];
  /** Whether the words are synonyms. */
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

/** Synonyms across languages, and product names for the kind of thing they are. */
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

/** Parses a question or a few words into query terms and the kinds of key events it asks about. */
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
  // A query of nothing but such words searches for them.
  const allManner = sought.every(({ isManner }) => isManner);
  return { sought: allManner ? sought.map((one) => ({ ...one, isManner: false })) : sought, kinds };
}
