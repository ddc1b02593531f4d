import { plain } from './closed-words.ts';

/**
 * Words of which one denies the other, where no negation shows it: what stands left of the stroke is the opposite of
 * what stands right. `*` stands for any ending. Without accents.
 */
const PAIRS = [
  // English
  'true/false',
  'kept keep keeps keeping retain* preserv*/remov* delet* drop* abandon* discard*',
  'high higher highest/low lower lowest',
  'increas* rises rising rose grew/decreas* reduc* falls falling fell shrank',
  'more most/fewer fewest less least',
  'before/after afterwards',
  'first/last',
  'newest latest/oldest',
  'changed/unchanged',
  'enable*/disable*',
  'allow* permit* accept*/forbid* forbade prohibit* disallow* reject* refus* declin*',
  'approv*/reject* refus* declin*',
  'adopted chosen picked/rejected dropped declined',
  'always/never rarely seldom',
  'often frequently/never rarely hardly seldom',
  'with/without',
  'minimum/maximum',
  'pass passed passes passing succeed* successful* success/fail fails failed failing failure failures unsuccessful*',
  'above/below',
  'inside within/outside',
  'both/neither only',
  'everyone everybody all every/nobody none no-one',
  'everything/nothing',
  'optional/mandatory required obligatory',
  'expensive/cheap cheapest',
  'better best/worse worst',
  'good/bad poor',
  'right/left',
  'upward* upper/downward*',
  'add added adds adding includ* insert*/remov* delet* exclud* omit*',
  'safe/unsafe',
  'used/unused',
  'available/unavailable',
  'possible/impossible',
  'valid/invalid',
  'sync synchronous*/async asynchronous*',
  'encrypted/unencrypted plaintext',
  'public/private',
  'local locally/remote remotely',
  'faster fastest fast quickly/slower slowest slow slowly',
  'easy easier simple simpler simplest/difficult harder complex complicated advanced',
  'early earlier/late later',
  'large larger big bigger/small smaller',
  'plenty ample/little scarce',
  'many/few',
  'beautiful attractive/ugly',
  'temporary temporarily/permanent permanently',
  'manual manually/automatic automatically',
  'visible shown/hidden',
  'open opened/closed',
  'postponed deferred delayed/finished implemented',
  'serious major/minor trivial',
  'start starts started begins began/stop stops stopped ended',
  // Portuguese
  'alto alta/baixo baixa',
  'acima/abaixo',
  'maior/menor',
  'mais/menos',
  'antes/depois',
  'sempre/nunca',
  'com/sem',
  'ativ* habilit*/desativ* desabilit*',
  'passa passam passou passaram passando aprovad* sucesso/falha falham falhou falharam falhando reprovad*',
  'opcional opcionais/obrigatori*',
  'aument* cresce*/reduz* diminu*',
  'adicion* inclui* incluid*/remov* exclui* excluid*',
  'aceit*/rejeit* recus*',
  'conclui* concluid* completo/interromp* pendente* inacabad*',
  'adequad*/inadequad*',
  'dentro/fora',
  'primeir*/ultim*',
  'verdadeir*/fals*',
  'mant* mantid*/remov* descart*',
  'rapid*/lent*',
  // Spanish
  'alto alta/bajo baja',
  'mayor/menor',
  'mas/menos',
  'antes/despues',
  'siempre/nunca jamas',
  'con/sin',
  'activ* habilit*/desactiv* deshabilit*',
  'opcional/obligatori*',
  'aument*/reduc* disminu*',
  'anad* agreg*/elimin* quit*',
  'acept*/rechaz*',
  'dentro/fuera',
  'primer*/ultim*',
  'rapid*/lent*',
  // French
  'haut haute eleve*/bas basse faible*',
  'avant/apres',
  'toujours/jamais',
  'avec/sans',
  'activ*/desactiv*',
  'reuss*/echou* echec*',
  'facultatif* optionnel*/obligatoire*',
  'augment*/redui* diminu*',
  'ajout*/supprim* retir*',
  'accept*/refus* rejet*',
  'premier*/dernier*',
  // German
  'hoch hoher hohe*/niedrig*',
  'vorher/nachher',
  'immer/nie niemals',
  'mit/ohne',
  'aktivier*/deaktivier*',
  'erfolgreich*/fehlgeschlagen*',
  'freiwillig optional*/verpflichtend* pflicht',
  'erhoh*/verringer* senk* gesenkt*',
  'hinzugefugt*/entfernt* geloscht*',
  'akzeptier* angenommen/abgelehnt* verworfen',
  'erlaubt*/verboten* untersagt*',
  'erste*/letzte*',
  'schneller*/langsamer*',
  'grosser* großer*/kleiner*',
  'mehr/weniger',
  // Italian
  'alto alta/basso bassa',
  'prima/dopo',
  'sempre/mai',
  'con/senza',
  'attiv*/disattiv*',
  'opzional*/obbligatori*',
  'aument*/ridott* riduc* diminu*',
  'aggiunt*/rimoss* eliminat*',
  'accett*/rifiut*',
  'primo prima/ultimo ultima',
];

interface Side {
  readonly holds: (word: string) => boolean;
}

function side(words: string): Side {
  const exact = new Set<string>();
  const starts: string[] = [];
  for (const word of words.split(' ')) {
    if (word.endsWith('*')) starts.push(word.slice(0, -1));
    else exact.add(word);
  }
  return { holds: (word) => exact.has(word) || starts.some((start) => word.startsWith(start)) };
}

const SIDES = PAIRS.flatMap((pair) => {
  const [one, other] = pair.split('/').map(side);
  return [
    [one!, other!],
    [other!, one!],
  ] as const;
});

/** Shorter words are not taken apart. */
const SHORTEST = 4;
/** A word with one of these before it is the opposite of the word: "unfiltered", "non-blocking". */
const PREFIXES = ['un', 'in', 'im', 'ir', 'il', 'non', 'non-', 'dis', 'des', 'not', 'mis'];

/** Tells whether a text has the opposite of a word; undefined where none is known. */
export function oppositesOf(term: string): ((text: string) => boolean) | undefined {
  const word = plain(term);
  const sides = SIDES.filter(([own]) => own.holds(word)).map(([, other]) => other);
  const joined = EACH_JOINED.filter(([own]) => term.includes(own)).map(([, other]) => other);
  const exact = new Set<string>();
  if (word.length >= SHORTEST && /^\p{L}+$/u.test(word)) {
    for (const prefix of PREFIXES) {
      exact.add(prefix + word);
      if (word.startsWith(prefix) && word.length - prefix.length >= SHORTEST) exact.add(word.slice(prefix.length));
    }
  }
  if (sides.length === 0 && joined.length === 0 && exact.size === 0) return undefined;
  return (text) =>
    wordsOf(text).some((other) => exact.has(other) || sides.some(({ holds }) => holds(other))) ||
    joined.some((other) => text.includes(other));
}

/** In scripts without spaces a word is any run of characters. */
const JOINED: readonly (readonly [string, string])[] = [
  ['有効', '無効'],
  ['成功', '失敗'],
  ['最初', '最後'],
  ['追加', '削除'],
  ['増', '減'],
  ['成功', '失败'],
  ['启用', '禁用'],
  ['添加', '删除'],
  ['增加', '减少'],
  ['之前', '之后'],
];
const EACH_JOINED = JOINED.flatMap(([one, other]) => [[one, other] as const, [other, one] as const]);

const wordsOf = (text: string): string[] => plain(text).match(/[\p{L}\p{N}]+(?:-\p{L}+)*/gu) ?? [];
