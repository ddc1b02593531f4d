import type { KeyEventKind } from '../model/key-event.ts';

/** Length of a title's beginning that is examined, in UTF-16 units. */
const MAX_READ = 120;

/** Words that say what a list contains, in the languages of the lexicons. Lists of requests aren't among them. */
const TITLES: readonly (readonly [KeyEventKind, RegExp])[] = [
  [
    'preference',
    /(?<!\p{L})(?:(?:preferences?|wish(?:es| list)|(?:important|matters) to (?:me|us)|wichtig ist|vorlieben|präferenzen|wünsche|preferencias|gustos|préférences|goûts|preferências|preferenze)(?!\p{L})|好み|希望|偏好|喜好)/iu,
  ],
  [
    'constraint',
    /(?<!\p{L})(?:(?:constraints?|requirements?|rules|restrictions|limits|limitations|must[ -]haves?|non-?negotiables?|guidelines|deal[ -]?breakers?|conventions|criteria|vorgaben|bedingungen|regeln|einschränkungen|anforderungen|kriterien|konventionen|restricciones|requisitos|reglas|condiciones|límites|criterios|contraintes|exigences|règles|critères|restrições|regras|condições|limites|critérios|vincoli|requisiti|regole|condizioni|limiti)(?!\p{L})|条件|制約|要件|ルール|约束|限制|要求|规则)/iu,
  ],
  [
    'decision',
    /(?<!\p{L})(?:(?:decisions?|(?:have|['’]ve|we|already) (?:decided|agreed)|agreed|entscheidungen|entschieden|beschlossen|festgelegt|decisiones|decidido|acordado|décisions|décidé|convenu|decisões|combinado|decisioni|deciso)(?!\p{L})|決定|决定)/iu,
  ],
  [
    'configuration',
    /(?<!\p{L})(?:(?:settings|configuration|config|setup|environment|tech stack|einstellungen|konfiguration|umgebung|configuración|ajustes|entorno|réglages|paramètres|environnement|configuraç(?:ão|ões)|ambiente|configurazione|impostazioni)(?!\p{L})|設定|環境|配置|设置|环境)/iu,
  ],
  [
    'todo',
    /(?<!\p{L})(?:(?:to-?dos?|to do|next steps|open (?:items|points)|still (?:open|missing|to do)|left to do|action items|nächste schritte|offene punkte|noch offen|(?:noch|uns) fehlt|fehlt noch|noch zu (?:tun|erledigen)|pendientes?|por hacer|próximos pasos|à faire|prochaines étapes|en suspens|pend(?:entes?|ências)|a fazer|próximos passos|da fare|prossimi passi|in sospeso)(?!\p{L})|やること|残り|待办|下一步)/iu,
  ],
  [
    'fact',
    /(?<!\p{L})(?:(?:facts|background|context|keep in mind|about (?:me|us|the|our|my)|(?:we|i) (?:have|know)|fakten|hintergrund|kontext|ausgangslage|eckdaten|über (?:mich|uns)|datos|hechos|antecedentes|contexto|sobre (?:mí|nosotros|mim|nós)|faits|données|contexte|à propos|dados|fatos|fatti|dati|contesto)(?!\p{L})|事実|背景|前提)|^[\s*]*(?:(?:my|our|meine?|unsere?|mis?|nuestr[ao]s?|mon|ma|mes|notre|nos|meus?|minhas?|noss[ao]s?|i miei|le mie)(?!\p{L})|私の|我的)/iu,
  ],
];

/** The kind of key events that a list with this title or lead-in contains; undefined if the title doesn't tell. */
export const kindOfTitle = (title: string): KeyEventKind | undefined =>
  TITLES.find(([, words]) => words.test(title.slice(0, MAX_READ)))?.[0];
