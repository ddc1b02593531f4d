/* Marks of a state that lines start with. */
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
/** A word or two set off by a comma: “ok, now …”, “好的，…”. */
export const LEAD_IN = /^[\p{L}'’]{1,12}(?: [\p{L}'’]{1,10})?\s?[,，、.。!！…]+\s*/u;
/** Asks without a question mark, perhaps behind a few words. */
export const ASKS =
  /^(?:[^:,]{1,20}[:,]\s)?(?:how (?:do|does|can|would|should|many|much)|what(?:'s| is| are| do| does| about)|why (?:is|are|do|does|did|not)|where (?:is|are|do)|cómo|por qué|cuánto|wie (?:kann|viele?|macht)|warum|wieso|comment|pourquoi|combien|como (?:faço|funciona)|por que|quanto)(?!\p{Ll})/iu;
/** “A or B?” asks for a choice. */
export const ALTERNATIVE = /\s(?:or|o|u|ou|oder|oppure|или)\s|还是|還是|それとも|아니면/i;
/** A plain yes decides something even where no question was seen; “ok” and “thanks” alone do not. */
export const YES = /^(?:yes|yep|yeah|yup|s[ií]m?|oui|ja|да)(?!\p{L})|^(?:はい|是|对|네|예)/iu;
/** Places in a file by their lines: what a review goes through. */
export const NAMES_LINES =
  /(?:\blines?|\bl[ií]n(?:ea|ha)s?|\blignes?|\bzeilen?|\bL)\s?\d+|\d+\s?行|第\s?\d+\s?[行〜-]|^\(\d+\)\s/iu;
