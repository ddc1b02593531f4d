import { EAST_ASIAN } from './cjk.ts';
import { speakerLabelAt } from './speakers.ts';

/** Greetings, thanks, courtesies, and agreement, by language. A sentence with little else is small talk. */
const COURTESIES: readonly RegExp[] = [
  /\b(?:hello|hi|hey|good (?:morning|afternoon|evening|day|night)|welcome(?: back)?|thanks?(?: you)?(?: (?:so|very) much| a lot| again| for (?:taking the|your) (?:time|help|patience))?|you(?:'|’)?(?:re| are) (?:most )?welcome|my pleasure|no problem|of course|certainly|sure(?: thing)?|good(?=\W*$)|great|perfect|excellent|wonderful|lovely|brilliant|noted|understood|congratulations|nice|fine|okay|ok|alright|all right|got it|i see|sounds good|that sounds (?:good|great)|have an? (?:nice|great|good|lovely|wonderful) (?:day|evening|weekend|time|one|trip|stay)|bye|goodbye|see you|take care|happy to help|glad to help|(?:is there )?anything else(?: (?:i can (?:help|do|assist)(?: you)?(?: with)?|you need))?|how are you(?: doing)?(?: today)?|how (?:can|may) i help(?: you)?|please|that(?:'|’)?s all|that is all|no,? that(?:'|’)?s it|cheers|sorry|go ahead|everyone|all here|no worries(?=\W*$|,)|(?:just )?let (?:us|me) know(?=\W*$))\b/giu,
  /(?<!\p{L})(?:hola|buen(?:os|as)? (?:d[ií]as?|tardes|noches)|bienvenid[oa]s?|(?:muchas |mil )?gracias|de nada|a usted(?:es)?|por favor|claro(?: que sí)?|perfecto|estupendo|excelente|genial|vale|de acuerdo|muy bien|con mucho gusto|adiós|hasta (?:luego|pronto|mañana)|que tenga(?: un)? buen(?:a|os|as)? \p{L}+|¿?en qué puedo ayudar(?:le|te|los)?|¿?cómo está(?:s)?|no se preocupe|lo siento(?: mucho)?|(?:eso(?: es)?|exacto)(?=\P{L}*$)|señor(?:a)?|(?:faltar[ií]a más|apuntado|sin problema|d[ií]game)(?=\P{L}*$|,))(?!\p{L})/giu,
  /(?<!\p{L})(?:ol[áa]|bom dia|boa (?:tarde|noite)|bem-vind[oa]s?|(?:muito )?obrigad[oa]|de nada|por favor|claro|perfeito|ótimo|tudo bem|está bem|com certeza|até (?:logo|mais|amanhã)|tchau|em que posso ajudar|(?:anotado|sem problemas?)(?=\P{L}*$|,))(?!\p{L})/giu,
  /(?<!\p{L})(?:hallo|guten (?:morgen|tag|abend)|willkommen|(?:vielen |herzlichen )?dank(?:e)?(?: schön| sehr)?|bitte(?: schön)?|gern(?:e)?(?: geschehen)?|natürlich|(?:gut|genau|allerdings|verstanden|notiert)(?=\P{L}*$)|kein problem(?=\P{L}*$|,)|tut mir leid|perfekt|super|prima|in ordnung|alles klar|tschüss|auf wiedersehen|schönen \p{L}+(?: noch)?|wie kann ich (?:ihnen |dir )?helfen|wie geht es (?:ihnen|dir))(?!\p{L})/giu,
  /(?<!\p{L})(?:bonjour|bonsoir|salut|bienvenue|merci(?: beaucoup| bien)?|je vous en prie|de rien|avec plaisir|désolée?|exactement|s['’]il (?:vous|te) plaît|bien sûr|parfait|d['’]accord|très bien|au revoir|bonne (?:journée|soirée|nuit)|comment puis-je vous aider|comment allez-vous|(?:c['’]est )?noté(?=\P{L}*$)|pas de (?:problème|souci)(?=\P{L}*$|,))(?!\p{L})/giu,
  /(?<!\p{L})(?:ciao|buongiorno|buonasera|benvenut[oa]|grazie(?: mille)?|prego|certo|perfetto|va bene|d['’]accordo|arrivederci|buona (?:giornata|serata)|per favore|come posso aiutar(?:la|ti)|(?:nessun problema|segnato|capito)(?=\P{L}*$|,))(?!\p{L})/giu,
  /おはようございます|こんにちは|こんばんは|ありがとうございます?|どういたしまして|よろしくお願いします|かしこまりました|お願いします|您好|你好|早上好|谢谢(?:您|你)?|不客气|再见|请问/gu,
];

/** A sentence that only thanks, possibly with a farewell. Never an answer to a question. */
const THANKS =
  /^[^\p{L}\p{N}]*(?:(?:(?:many|muchas|mil|muito|vielen|herzlichen|mille) )?(?:thanks|thank you|gracias|obrigad[oa]|danke?|merci|grazie)(?: (?:so much|very much|a lot|again|de nuevo|mais uma vez|sehr|schön|nochmals|beaucoup|bien|encore|mille))*(?: (?:for|por|pel[ao]|für|pour|per|di)(?: (?:all|the|your|la|el|su|tu|toda|a|sua|die|deine|ihre|das|votre|ton|il|tuo))*(?: |(?<=[ '’]))(?:l['’])?(?:help|time|patience|support|assistance|everything|ayuda|tiempo|paciencia|todo|ajuda|tempo|paciência|tudo|hilfe|zeit|geduld|alles|aide|temps|patience|tout|aiuto|pazienza|tutto))?|(?:どうも)?ありがとうございま(?:す|した)|谢谢(?:您|你)?(?:的帮助)?)(?:[\s,.!]+(?:bye|goodbye|see you(?: \p{L}+)?|have an? (?:nice|great|good|lovely) \p{L}+|adiós|hasta (?:el )?\p{L}+|até (?:logo|mais|amanhã)|tchau|tschüss|auf wiedersehen|au revoir|bonne (?:journée|soirée)|arrivederci))*[^\p{L}\p{N}]*$/iu;

/** `THANKS` for Arabic, Hebrew, and Hindi, which have no lexicon. In Hindi, the reason for thanks may come first. */
const SHORT_THANKS =
  /^[^\p{L}\p{N}]*(?:[^,،:\p{N}]{1,24} के लिए )?(?:[\p{L}\p{M}]{1,9} )?(?:बहुत[ -])*(?:و?شكر[اً]*|תודה|धन्यवाद)(?![\p{L}\p{M}])[^,،:\p{N}a-z]{0,24}$/iu;

/** Dice and other mechanics of a tabletop game, in the words of its rules. */
const TABLE_TALK =
  /\b(?:roll(?:s|ed|ing)?(?: (?:for|a|an|me|your|my))* ?(?:initiative|perception|stealth|insight|investigation|performance|persuasion|deception|intimidation|survival|athletics|acrobatics|damage|attack|with (?:dis)?advantage|saving throw|d\d+)|natural (?:\d+|twenty|one)|\d*d(?:4|6|8|10|12|20|100)\b|(?:plus|minus) (?:\d+|one|two|three|four|five|six|seven|eight|nine|ten)\b|(?:armor|armour) class|saving throw|does (?:a )?\d+ hit)\b|^[^\p{L}\p{M}\p{N}]*(?:that(?:'|’)?s|that is|it(?:'|’)?s|a|with an?)? ?(?:an? )?\d{1,2}[.!]*$|^(?:ha|great|nice|good|what a|terrible) roll\b|\bgreat roll\b/iu;
/** Dice, natural results, and requests to roll for a skill in other languages. They may mean other things elsewhere. */
const TABLE_TALK_ELSEWHERE =
  /(?<![\p{L}\p{N}])(?:\d+w(?:4|6|8|10|12|20|100)|(?:mit|auf) (?:de[mn]|eine[mn]?) w(?:4|6|8|10|12|20|100)|nat[üu]rliche[nr]? (?:\d{1,2}|eins|zwanzig)|(?:w[üu]rf(?:le|elt|eln)|wirf|tir(?:a|ad|en|o|ate)|lance[rz]?|rol(?:a|em)) (?:auf |para |por |per |la |el |a )?(?:wahrnehmung|heimlichkeit|ausdauer|athletik|initiative|percepci[óo]n|sigilo|iniciativa|investigaci[óo]n|perspicacia|persuasi[óo]n|perception|discrétion|percezione|furtività|iniziativa|percepção|furtividade)|rettungsw[üu]rf\p{L}*|tirada de salvación|jet de sauvegarde|tiro salvezza)(?![\p{L}\p{N}])|^\W*(?:una? |ein )?\d{1,2} natur(?:al|ale|el)\W*$/iu;
/** The result of a skill check: "insight 14", "lockpicking: 11". */
const SKILL_CHECK =
  /^\W*(?:perception|stealth|insight|investigation|performance|persuasion|deception|intimidation|survival|athletics|acrobatics|arcana|religion|history|medicine|nature|sleight of hand|lockpicking|initiative)\W{1,3}\d{1,2}\W*$/i;
/** Results of dice in other words, and lines that are only a stage direction. */
const DICE =
  /\b(?:nat|natural) (?:\d+|one|twenty)\b|\b(?:roll(?:s|ed)?|check|save|saving throw|initiative|tirada|w[üu]rf\w*)\b.{0,40}\b\d+\b|^(?:\*[^*]+\*|\([^)]+\)|\[[^\]]+\])$/iu;
/** Words around a result of dice: "No, it was like 24.", "31 for me". */
const BESIDE_NUMBERS =
  /\b(?:no|nope|yes|yeah|yep|oh|ah|ugh|okay|ok|and|so|but|it|that|this|mine|i|me|him|her|us|was|is|are|got|have|had|get|gets|like|only|just|a|an|the|another|with|for|plus|minus|of|on|at|total|all|together)\b|['’](?:s|m|ve|re)\b|(?<!\p{L})(?:nur|eine?|ein|leider|mist|verdammt|ich|habe?|das|ist|sind|und|insgesamt|un[ao]?|s[oó]lo|vaya|tengo|seulement|une|fait|merde|zut|ho|fatto|più|apenas|deu|tirei|uma?)(?!\p{L})/giu;
const STAGE_DIRECTION = /\[[^\]\n]{1,60}\]|\([^)\n]{0,20}(?:laughs?|laughter|chuckles?|sighs?)[^)\n]{0,20}\)/gi;

/** A sentence with fewer letters besides courtesies is small talk. */
const MIN_LETTERS = 10;

/** In UTF-16 units. Longer sentences are never small talk. */
const MAX_SENTENCE = 160;

const withoutSpeaker = (line: string): string => line.slice(speakerLabelAt(line, 0).length).trim();

/** Whether a line is about a tabletop game's mechanics: dice and their results, or a stage direction. */
export function isTableTalk(line: string): boolean {
  // Game masters' labels may be in lower case: "Dungeon master:".
  const words = withoutSpeaker(line).replace(/^\p{Lu}[\p{L} .'’-]{0,30}: /u, '');
  if ([TABLE_TALK, TABLE_TALK_ELSEWHERE, SKILL_CHECK, DICE].some((pattern) => pattern.test(words))) return true;
  return /\d/.test(words) && /^[\d\P{L}]*$/u.test(words.replace(BESIDE_NUMBERS, ''));
}

/** Replaces greetings, thanks, courtesies, and agreement with spaces. */
export function withoutCourtesies(sentence: string): string {
  let rest = sentence;
  for (const pattern of COURTESIES) rest = rest.replace(pattern, ' ');
  return rest;
}

export const isThanks = (sentence: string): boolean =>
  sentence.length <= MAX_SENTENCE && (THANKS.test(sentence) || SHORT_THANKS.test(sentence));

/**
 * Whether a sentence of a short message is small talk: courtesies, dice, stage directions, or agreement. After a label,
 * which may also be a field's name ("Guests: 4", "Breakfast: yes"), only courtesies and skill checks count.
 */
export function isSmallTalk(sentence: string): boolean {
  if (sentence.length > MAX_SENTENCE) return false;
  const plain = sentence.replace(STAGE_DIRECTION, ' ').trim();
  const said = withoutSpeaker(plain);
  if (TABLE_TALK.test(plain) || SKILL_CHECK.test(said) || isThanks(said)) return true;
  // No courtesy contains a digit.
  if (/\d/.test(said)) return false;
  const rest = withoutCourtesies(said);
  const words = rest.match(/[\p{L}\p{N}]+/gu) ?? [];
  const letters = words.join('').length;
  if (said.length < plain.length) return letters === 0;
  // Scripts without spaces say more in fewer characters.
  const isDense = EAST_ASIAN.test(rest);
  if (letters >= (isDense ? MIN_LETTERS / 3 : MIN_LETTERS)) return false;
  // A name is content, unless a courtesy is addressed to it.
  const isAddressed = words.length <= 1 && rest.length < plain.length;
  return isAddressed || !words.some((word) => /^\p{Lu}\p{Ll}{2,}/u.test(word));
}

/** Removes stage directions: "[laughs]", "(sighs)". */
export const withoutStageDirections = (sentence: string): string =>
  sentence.replace(STAGE_DIRECTION, ' ').replace(/\s+/g, ' ').trim();
