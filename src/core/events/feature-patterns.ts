/** Status marks at the beginning of a line. */
export const GOOD = /^(?:\[(?:OK|x|X|DONE|PASS)\]|✅|✔️?|☑️?|✓|🎉|👍|🟢)/u;
export const WARNING = /^(?:\[(?:WARN|WARNING|!)\]|⚠️?|❗|🟡|🚧|❕)/u;
export const BAD = /^(?:\[(?:ERRO|ERROR|FAIL|ERR|X)\]|❌|✗|✘|🔴|🐛|⛔|🚫)/u;
export const OPEN = /^(?:\[ \]|⏳|⏭️?|⏸️?|☐|🔜|🔲|⬜|->|→|📋|🎯)/u;
export const EMOJI = /\p{Extended_Pictographic}|\[EMOJI\]/u;
export const BOLD_LABEL = /^\*{1,2}[^*\n]{1,80}(?:\*{1,2}\s*[:：]|[:：]\s*\*{1,2})|^[\p{L}\p{N} _/`.-]{2,40}[:：] /u;
export const PATH =
  /(?:^|[\s`"'(（「])(?:~|\.{1,2}|[A-Za-z]:)?[\\/][\w.@-]+(?:[\\/][\w.@-]+)+|(?:^|[\s`"'(（「])[\w@-]+(?:\/[\w.@-]+)+\.\w{1,6}|[\w-]+\.(?:ts|tsx|js|py|go|rs|java|md|json|yml|yaml|toml|sql|sh|css|html|env|cfg|ini|rb|php|cs|cpp|kt|swift)\b|(?:^|\s|`)\.env\b/;
export const URL = /https?:\/\//;
export const MEASURE =
  /\d\s?(?:ms|s|sec|seconds?|min|minutes?|h|hours?|days?|kb|mb|gb|tb|%|px|req|rps|tokens?|chars?|lines?|x|€|\$|segundos|minutos|horas|dias|días|líneas|linhas|Sekunden|Minuten|Stunden|Tage|Zeilen|secondes|heures|jours|lignes|秒|分|時間|日|行|件|个|毫秒|分钟|小时|天|条|個)(?![a-z])|[$€£]\s?\d/i;
export const ASSIGNMENT =
  /\b[A-Z][A-Z0-9_]{2,}\s?=|--[a-z][\w-]+|\b[a-z_][\w.-]{1,40}\s?[=:]\s?(?:true|false|"[^"]*"|'[^']*'|\d+\b)/;
export const VERSION = /\bv?\d+\.\d+(?:\.\d+)?\b|\b(?:[A-Z][A-Za-z]+|python|node|java|go|php|ruby) \d{1,2}\b/;
export const OPTION =
  /(?:option|opción|opcion|opção|opcao|plan|variante|variant|phase|fase|step|approach|alternative|approche|ansatz|方案|案|选项|オプション|選択肢|proposal)\s?[A-Z0-9一二三①②③]\b|^[A-D1-9][).]?$|^[A-D][).：:]|[AB12]案|第[一二三]|#\d\b/iu;
export const ARROW = /->|→|=>|➜/;
export const QUOTATION = /"[^"]{2,}"|“[^“”]{2,}”|「[^「」]+」|«[^«»]{2,}»|„[^„“]{2,}“/;
export const IDENTIFIER =
  /\b[a-z]+(?:[A-Z][a-z0-9]*)+\b|\b[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+\b|\b[a-z0-9]+_[a-z0-9_]+\b|\w\(\)/;
export const QUESTION_OPEN = /^[¿]|^[^\p{L}\p{N}]*¿/u;
/** A word or two before a comma, full stop, or exclamation mark: “ok, now …”, “Great! Next …”, “好的，…”. */
export const LEAD_IN = /^[\p{L}'’]{1,12}(?: [\p{L}'’]{1,10})?\s?[,，、.。!！…]+\s*/u;
/** Questions without a question mark, possibly after a few words and a comma or colon. */
export const ASKS =
  /^(?:[^:,]{1,20}[:,]\s)?(?:how (?:do|does|can|would|should|many|much)|what(?:'s| is| are| do| does| about)|why (?:is|are|do|does|did|not)|where (?:is|are|do)|cómo|por qué|cuánto|wie (?:kann|viele?|macht)|warum|wieso|comment|pourquoi|combien|como (?:faço|funciona)|por que|quanto)(?!\p{Ll})/iu;
/** Found in “A or B?”, which asks for a choice. */
export const ALTERNATIVE = /\s(?:or|o|u|ou|oder|oppure|или)\s|还是|還是|それとも|아니면/i;
/** A “yes” may be a decision even if no question was found; “ok” or “thanks” alone can't. */
export const YES = /^(?:yes|yep|yeah|yup|s[ií]m?|oui|ja|да)(?!\p{L})|^(?:はい|是|对|네|예)/iu;
export const CLOCK_OR_DATE =
  /\b\d{1,2}(?::\d{2})?\s?(?:[ap]\.?m\b|h\b|uhr|o'clock)|\b\d{1,2}:\d{2}\b|\b(?:\d{1,2}(?:st|nd|rd|th)|monday|tuesday|wednesday|thursday|friday|saturday|sunday|tomorrow|january|february|march|april|june|july|august|september|october|november|december|lunes|martes|miércoles|jueves|viernes|sábado|domingo|mañana|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|morgen|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|demain|segunda|terça|quarta|quinta|sexta|amanhã)\b|\d{1,2}[月日時时点]/iu;
export const CONTACT =
  /\b\d{3}[-. ]\d{3}[-. ]\d{4}\b|\+\d[\d ()-]{7,}|\b\d{1,5} (?:\p{Lu}|\d+(?:st|nd|rd|th)\b)|\S@\w+\.\w/u;
/** The beginning of a standing instruction. */
export const STANDING =
  /^\W*(?:(?:please|and|but|also|bitte|por favor|y|e|et|und)\s+)?(?:always|never|change of plans?|from now on|in (?:the )?future|i (?:\p{L}+ )?prefer|i want you to|(?!(?:ich|wir|ihr|er|sie|es|das|je|tu|on|ça|ils?|elles?|yo|tú|él|ella|esto|eso|eu|ele|ela|isso)\s)\p{L}+\s+(?:immer|niemals|siempre|toujours|jamais|sempre)|i'd (?:rather|prefer)|siempre|nunca|prefiero|(?:quiero|me gustaría) que|a partir de ahora|de ahora en adelante|immer|niemals|nie|ab jetzt|ab sofort|ich (?:bevorzuge|möchte, dass)|toujours|jamais|désormais|dorénavant|je préfère|je veux que|sempre|prefiro|quero que|a partir de agora|今後|今后|必ず|常に|决不|绝不|始终|总是|永远|请始终|请总是)(?!\p{Ll})/iu;
/** Words that the speaker marks as important. */
export const MARKED_IMPORTANT = /^[^\p{L}\p{N}]*(?:importante?|wichtig|重要)[*_]*\s?[:：!！]/iu;
/** An announcement of a decision or of something important. */
export const ANNOUNCEMENT =
  /^[^\p{L}\p{N}]*(?:(?:importante?|decision|decided|decisión|decisão|décision|décidé|entscheidung|entschieden|wichtig|決定|重要|决定)[*_]*\s?[:：!！]|(?:(?:we(?:['’]ve| have)? )?decided (?:to|on|that|against)|se decidió|decidimos|(?:nous avons|on a) décidé|wir haben (?:uns )?(?:entschieden|beschlossen))(?!\p{L}))/iu;
/** A remark that nothing else is wanted. */
export const CLOSING =
  /^\W*(?:(?:no|nope|yes|ok(?:ay)?|and|great|perfect|sí|vale|não|sim|nein|ja|non|oui)[\s,.!]+)*(?:that(?:['’]?s| is| was| will be|['’]ll be| would be| should be)(?: all| it| everything)|this should be enough|nothing (?:else|more)|(?:eso|esto) (?:es|sería) todo|nada más|das (?:ist|war|wäre) alles|das war['’]s|c['’]est tout|ce sera tout|é só isso|só isso|isso é tudo|以上です|没有了|就这些)(?:[\s,.!]+(?:for (?:now|today|me)|(?:that )?i need.{0,20}|por (?:ahora|hoy|enquanto|hoje)|fürs erste|pour l['’]instant))?(?:[\s,.!]+(?:thank|gracias|danke|merci|obrigad).{0,20})?\W*$/iu;
