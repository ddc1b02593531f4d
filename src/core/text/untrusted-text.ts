import type { DetectedEvent, KeyEventKind, Span } from '../model/key-event.ts';
import type { Role } from '../model/message.ts';
import { lineSpans } from './lines.ts';
import { PROMPT_LABEL, SECTION_TAG } from './prompt-sections.ts';

/** The origin of words in a message that its author didn't write. */
export type Origin =
  /** Pasted, as observed by the page. */
  | 'pasted'
  /** Quoted by `>`, in a fence, or after "he wrote:". */
  | 'quoted'
  /** A page, email, or article that the message asks about. */
  | 'document'
  /** Imitates a speaker, section, or label of a request. */
  | 'forged'
  /** Printed by a tool. */
  | 'printed';

export interface UntrustedSpan extends Span {
  readonly origin: Origin;
}

/** Kinds that state the user's will. Only the user's own words may create them. */
const BINDING: ReadonlySet<KeyEventKind> = new Set(['constraint', 'preference', 'decision', 'todo']);

/** Length of a line's beginning that is examined, in UTF-16 units. */
const MAX_READ = 300;
/** In UTF-16 units. Longer passages are documents; constraints and decisions in them aren't worth keeping. */
const MAX_SHORT_PASSAGE = 600;
/** Minimum length of the author's own words at an event's beginning to which it's cut, in UTF-16 units. */
const MIN_OWN_WORDS = 12;

/** A tool result that is the user's answer, although its role is `tool`. */
const ANSWERED = /^<tool-use\b[^>\n]{0,200}AskUserQuestion/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const PARAGRAPH_END = /\r?\n\r?\n/g;
const QUOTED = /^ {0,3}>/;
const SPEAKER =
  /^[\s#*_>"'[(<|]{0,8}(?:system|assistant|developer|tool|user|human|sistema|asistente|assistente|usuario|usuário|système|utilisateur|benutzer|assistent|система?|пользователь|ассистент|系统|用户|助手|システム|ユーザー|アシスタント)(?: (?:message|prompt|note|override))?[\s*_\])>|]{0,4}[:：]/iu;
const TEMPLATE =
  /\[\/?INST\]|<<\/?SYS>>|<\/?(?:system|assistant|instructions?|system-reminder)>|###? (?:system|instruction)s?\b/i;
/** The first line of a forwarded email or a web page, which extends to the end of the message. */
const ENCLOSURE =
  /^(?:-{3,} ?(?:original message|forwarded message|ursprüngliche nachricht|mensaje original|message d’origine|mensagem original)|(?:on|am|el|le|em) .{4,120} (?:wrote|schrieb .{1,60}|escribió|a écrit|escreveu) ?:|<!doctype html|<html\b|<\?xml\b)/i;
const MAIL_HEADER =
  /^(?:from|de|von|to|an|para|à|subject|betreff|asunto|objet|assunto|sent|gesendet|date|reply-to): \S/i;

const REQUESTS =
  'summar(?:i[sz]e|y of)|tl;?dr|translate|proofread|paraphrase|rephrase|rewrite|extract|explain|analy[sz]e|read|look at|check out|what (?:do(?:es)?|is|are)|thoughts on|resum[ae]|resumen de|traduce|traduz|explica|lee|leia|analiza|analise|zusammenfassen|fass|fasse|übersetze|erklär|lies|résume|résumer|traduis|explique|lis|riassumi|traduci|要約|翻訳|説明|总结|翻译|解释|概括';
const DOCUMENTS =
  'page|article|text|document|doc|docs|email|e-mail|mail|post|thread|issue|ticket|readme|file|log|output|message|review|comment|snippet|excerpt|paper|report|transcript|website|site|página|artículo|artigo|texto|correo|documento|mensaje|mensagem|archivo|salida|seite|artikel|datei|nachricht|ausgabe|beitrag|courriel|fichier|article|texte|pagina|articolo|ページ|記事|文章|テキスト|メール|页面|网页|邮件|文档|文本';
/** A line that asks about the document after it: "Summarize this page for me:". */
const INTRODUCES = new RegExp(`(?:^|[^\\p{L}])(?:${REQUESTS})[^\\n]{0,120}?(?:${DOCUMENTS})`, 'iu');
const HERE_IS = new RegExp(
  `^(?:here(?:'s|’s| is| are)|this is|below is|i found|found|from|aquí (?:está|tienes)|esto es|hier ist|das ist|voici|c’est|ecco|aqui está|以下は|これは|这是|以下是)[^\\n]{0,120}?(?:${DOCUMENTS})[^\\n]{0,120}[:：]$`,
  'iu',
);
const SAYS =
  /(?:^|[^\p{L}])(?:says?|said|wrote|writes|states?|reads|replied|answered|claims?|told (?:me|us)|dice|dijo|escribió|diz|disse|escreveu|sagt|sagte|schreibt|schrieb|meint|dit|écrit|a dit|dice che|ha scritto|と言|と書|说|写道)[^\n:：]{0,40}[:：]$/iu;
/** Like `SAYS`, but followed by a quotation on the same line. */
const BEFORE_QUOTE =
  /(?:^|[^\p{L}])(?:says?|said|wrote|writes|states?|reads|replied|answered|claims?|dice|dijo|escribió|diz|disse|escreveu|sagt|sagte|schreibt|schrieb|meint|dit|écrit)[^\n"“«„「]{0,40}$/iu;
const IN_QUOTES = /"[^"\n]{12,400}"|“[^”\n]{12,400}”|«[^»\n]{12,400}»|„[^“\n]{12,400}“|「[^」\n]{12,400}」/g;
/** Length of the text before a quotation that is searched for its author, in UTF-16 units. */
const AUTHOR_CHARS = 60;

/**
 * The words of a message that its author didn't write, in order and without overlaps: pasted text, quotes, fences,
 * documents that the message asks about, and forged speakers and labels. `pasted` contains UTF-16 offsets. Linear in
 * the text's length.
 */
export function untrustedSpans(message: {
  readonly role: Role;
  readonly text: string;
  readonly pasted?: readonly Span[] | undefined;
}): readonly UntrustedSpan[] {
  const { role, text, pasted = [] } = message;
  if (role === 'tool') return ANSWERED.test(text) ? [] : [{ start: 0, end: text.length, origin: 'printed' }];
  const pastes = pasted.map((span) => ({ ...span, origin: 'pasted' as const }));
  return merged([...pastes, ...(role === 'user' ? untrustedLines(text) : []), ...forgeries(text)]);
}

function untrustedLines(text: string): readonly UntrustedSpan[] {
  const found: UntrustedSpan[] = [];
  const add = (start: number, end: number, origin: Origin): void => {
    if (start < end) found.push({ start, end, origin });
  };
  let fence: string | undefined;
  let isForged = false;
  let mailHeaders = 0;
  for (const { start: at, end } of lineSpans(text)) {
    const next = Math.min(end + 1, text.length);
    const line = text.slice(at, Math.min(end, at + MAX_READ)).trimEnd();
    const mark = FENCE.exec(line)?.[1];
    if (fence !== undefined || mark !== undefined || QUOTED.test(line)) {
      add(at, next, 'quoted');
      if (fence === undefined) fence = mark;
      else if (mark?.startsWith(fence) === true && line.trim() === mark) fence = undefined;
    } else if (ENCLOSURE.test(line) || (MAIL_HEADER.test(line) && ++mailHeaders === 2)) {
      add(at, text.length, 'document');
      break;
    } else if (SAYS.test(line) && next < text.length) {
      add(next, text.length, 'quoted');
      break;
    } else if (end - at <= MAX_READ && introduces(line, text.slice(next, next + MAX_READ))) {
      add(next, text.length, 'document');
      break;
    } else {
      // The words of a forged speaker extend to the end of the paragraph.
      isForged = (isForged && line !== '') || SPEAKER.test(line);
      if (isForged) add(at, next, 'forged');
      else
        for (const { start, end: stop } of quotations(text.slice(at, Math.min(end, at + 4 * MAX_READ))))
          add(at + start, at + stop, 'quoted');
    }
  }
  return found;
}

/** Whether a line introduces a document: several lines or a long one. `after` is the beginning of the text after it. */
function introduces(line: string, after: string): boolean {
  const rest = after.trim();
  if (rest === '') return false;
  if (HERE_IS.test(line)) return true;
  return INTRODUCES.test(line) && (/[:：]$/.test(line) || /^\s{0,19}\n/.test(after) || /^(?:#|<|\*\*|---)/.test(rest));
}

/** A line's quotations of what somebody said or wrote. */
const quotations = (line: string): readonly Span[] =>
  [...line.matchAll(IN_QUOTES)].flatMap(({ 0: words, index }) =>
    BEFORE_QUOTE.test(line.slice(Math.max(0, index - AUTHOR_CHARS), index))
      ? [{ start: index, end: index + words.length }]
      : [],
  );

/** Everything after a tag of a request or chat template, and the rest of the paragraph after a label. */
function forgeries(text: string): readonly UntrustedSpan[] {
  const found: Span[] = [];
  const tag = [text.search(SECTION_TAG), text.search(TEMPLATE)].filter((at) => at !== -1);
  if (tag.length > 0) found.push({ start: Math.min(...tag), end: text.length });
  for (const { index } of text.matchAll(PROMPT_LABEL)) {
    PARAGRAPH_END.lastIndex = index;
    found.push({ start: index, end: PARAGRAPH_END.exec(text)?.index ?? text.length });
  }
  return found.map((span) => ({ ...span, origin: 'forged' }));
}

/** The spans of pasted texts in a message, each once, in the order in which they were pasted. */
export function findPasted(pasted: readonly string[], text: string): readonly Span[] {
  const found: Span[] = [];
  const from = new Map<string, number>();
  for (const one of pasted) {
    const start = one === '' ? -1 : text.indexOf(one, from.get(one) ?? 0);
    if (start === -1) continue;
    from.set(one, start + one.length);
    found.push({ start, end: start + one.length });
  }
  return found;
}

/** Sorts and merges spans. A span that contains a forgery becomes `forged`. */
function merged(spans: readonly UntrustedSpan[]): readonly UntrustedSpan[] {
  const all: UntrustedSpan[] = [];
  const inOrder = [...spans].sort((a, b) => a.start - b.start || b.end - a.end);
  for (const span of inOrder) {
    const last = all.at(-1);
    if (last && (span.start < last.end || (span.start === last.end && span.origin === last.origin))) {
      const origin = span.origin === 'forged' ? 'forged' : last.origin;
      all[all.length - 1] = { start: last.start, end: Math.max(last.end, span.end), origin };
    } else all.push(span);
  }
  return all;
}

/**
 * Marks events in untrusted words as `quoted`, except in tool output. In a short passage, constraints, preferences,
 * decisions, and to-dos become facts; in long passages, documents, and tool output, they are dropped. All events in a
 * forgery are dropped. An event that begins with the author's own words is cut where they end.
 */
export function restrictUntrustedEvents<Event extends DetectedEvent>(
  events: readonly Event[],
  untrusted: readonly UntrustedSpan[],
): Event[] {
  if (untrusted.length === 0) return [...events];
  let next = 0;
  return events.flatMap((event) => {
    while (next < untrusted.length && untrusted[next]!.end <= event.start) next++;
    const span = untrusted[next];
    if (span === undefined || span.start >= event.end) return [event];
    const own = event.quote.slice(0, Math.max(0, span.start - event.start)).trimEnd();
    if (own.length >= MIN_OWN_WORDS) return [{ ...event, end: event.start + own.length, quote: own }];
    if (span.origin === 'forged') return [];
    const binds = BINDING.has(event.kind);
    if (binds && (span.origin === 'document' || span.end - span.start > MAX_SHORT_PASSAGE)) return [];
    if (span.origin === 'printed') return binds ? [] : [event];
    return [{ ...event, kind: binds ? 'fact' : event.kind, quoted: true }];
  });
}
