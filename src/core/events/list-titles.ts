import type { KeyEventKind } from '../model/key-event.ts';

/** In UTF-16 units. A longer line isn't only a title. */
const MAX_TITLE = 60;

/** Titles of lists, without what may precede or follow them, in eight of the lexicons' languages. */
const TITLES: Readonly<Partial<Record<KeyEventKind, string>>> = {
  preference:
    'preferences|vorlieben|präferenzen|wünsche|preferencias|préférences|preferências|preferenze|好み|私の好み|希望|偏好|我的偏好',
  constraint:
    'constraints|requirements|rules|restrictions|limitations|must-haves|must haves|non-negotiables|guidelines|conventions|vorgaben|bedingungen|regeln|einschränkungen|anforderungen|restricciones|requisitos|reglas|condiciones|contraintes|exigences|règles|restrições|regras|condições|vincoli|requisiti|regole|condizioni|条件|制約|要件|ルール|约束|要求|规则',
  decision:
    'decisions|decided|agreed|we decided|we agreed|we agreed on|we agreed on the following|what we decided|what we agreed on|entscheidungen|entschieden|beschlossen|beschlüsse|decisiones|decidido|acordado|décisions|décidé|decisões|combinado|decisioni|deciso|決定事項|决定',
  configuration:
    'settings|tech stack|stack|einstellungen|konfiguration|configuración|ajustes|réglages|configurações|impostazioni|設定|配置|设置',
  todo: 'todo|todos|to do|to-do|to-dos|still to do|left to do|open items|open points|still open|still missing|next steps|noch zu tun|noch zu erledigen|noch offen|offene punkte|was noch fehlt|nächste schritte|pendiente|pendientes|por hacer|próximos pasos|à faire|reste à faire|prochaines étapes|pendências|pendentes|a fazer|próximos passos|da fare|prossimi passi|やること|残り|待办|下一步',
  fact: 'facts|background|context|for context|about me|about us|what we know|what i know|what we have|what i have|things to keep in mind|allergies|medications|fakten|hintergrund|eckdaten|ausgangslage|über mich|über uns|allergien|medikamente|datos|contexto|antecedentes|sobre mí|sobre nosotros|alergias|contexte|à propos de moi|à propos de nous|allergies|dados|sobre mim|sobre nós|contesto|allergie|背景|前提|アレルギー',
};

/** What may precede a title, and what may follow it. */
const BEFORE =
  "here are|here is|here's|these are|this is|my|our|the|some|a few|important|general|ground|house|project|style|key|known|hard|already|hier sind|das sind|meine|unsere|die|einige|ein paar|bisherige|bereits|estas son|estos son|mis|nuestras|nuestros|las|los|algunas|algunos|voici|mes|nos|les|quelques|déjà|estas são|estes são|minhas|meus|nossas|nossos|as|os|algumas|alguns|ecco|le mie|i miei|le nostre|i nostri|alcune|già";
const AFTER =
  'so far|for you|for us|for this chat|for this project|bisher|bis jetzt|für dich|für diesen chat|hasta ahora|para ti|jusqu’ici|pour toi|até agora|finora';

const KINDS = new Map(
  Object.entries(TITLES).flatMap(([kind, titles]) => titles.split('|').map((one) => [one, kind as KeyEventKind])),
);
const PREFIXES = BEFORE.split('|').map((one) => `${one} `);
const SUFFIXES = AFTER.split('|').map((one) => ` ${one}`);
/** Followed by a name, which may only consist of letters. */
const FACTS_ABOUT = /^facts about [\p{L} '’-]{1,40}$/u;

/** A line that titles a list, without emphasis, and the kind of key events that the list contains. */
export interface ListTitle {
  readonly kind: KeyEventKind;
  readonly title: string;
}

/**
 * A line as the title of a list of key events; undefined if it's no such title. A title that says more,
 * such as “Decisions to make:” or “Please fix these rules:”, may mean the opposite.
 */
export function listTitle(line: string): ListTitle | undefined {
  if (line.length > MAX_TITLE) return undefined;
  const title = line.replace(/[*_]/g, '').trim();
  let words = title.replace(/[:：]/g, ' ').trim().toLowerCase().replace(/ +/g, ' ');
  for (let prefix; (prefix = PREFIXES.find((one) => words.startsWith(one)));) words = words.slice(prefix.length);
  const suffix = SUFFIXES.find((one) => words.endsWith(one));
  if (suffix !== undefined) words = words.slice(0, -suffix.length);
  const kind = KINDS.get(words) ?? (FACTS_ABOUT.test(words) ? 'fact' : undefined);
  return kind && { kind, title };
}
