import { KEY_EVENT_KINDS } from '../model/key-event.ts';
import { textHash } from './hash.ts';

/** Sections of a request that hold what was said, as data. */
export const SECTIONS = [
  'key_events',
  'earlier_conversation',
  'recalled_excerpts',
  'current_task',
  'workspace_memory',
  'project_rules',
  'attachment',
  'record',
] as const;
export type Section = (typeof SECTIONS)[number];

/** A tag of this product's own requests, or one that a chat template marks a speaker with, as content can hold it. */
export const OWN_TAG = new RegExp(
  `<(?=/?\\s{0,4}(?:${SECTIONS.join('|')})\\b)|<(?=\\|(?:im_start|im_end|system|user|assistant|endoftext)\\b)`,
  'gi',
);

/** A label as the ledger, the summaries and the excerpts of a request carry them. */
export const OWN_LABEL = new RegExp(
  `\\[(?:(?:${KEY_EVENT_KINDS.join('|')}), [^\\]\\n]{1,40}, message \\d{1,9}` +
    '|messages? \\d{1,9}(?:[–-]\\d{1,9})?(?:, \\w{1,12})?|session [^\\]\\n]{1,200}, message \\d{1,9}[^\\]\\n]{0,20})\\]',
  'gi',
);

/** How a record and a summary name who speaks, at the start of a line. */
const SPEAKER_LABEL = /^(summary|[Uu]ser|USER|[Aa]ssistant|ASSISTANT|[Ss]ystem|SYSTEM|[Tt]ool|TOOL)(?=:)/gm;

/** Words of a message for a text that names its speakers at the start of a line: what looks so is visibly quoted. */
export const asSpoken = (content: string): string => content.replace(SPEAKER_LABEL, '“$1”');

/** Content with this product's own tags made harmless, and its own labels visibly quoted. Linear. */
export function neutralized(content: string): string {
  return content.replace(OWN_TAG, '‹').replace(OWN_LABEL, '“$&”');
}

/** A name or title as one short line, without what could end a label or a tag. */
export function plainName(name: string): string {
  return name
    .slice(0, 200)
    .replace(/[\s"“”<>[\]|]+/g, ' ')
    .trim();
}

/** `name="value"` for a section's opening tag. */
export const attribute = (name: string, value: string): string => ` ${name}="${plainName(value)}"`;

/**
 * A section of a request. Both tags carry a mark made from the content, which the content does not hold: what is in a
 * section cannot end it, and the same content gives the same bytes, which prompt caches need.
 */
export function section(name: Section, content: string, attributes = ''): string {
  const mark = markFor(content);
  return `<${name}-${mark}${attributes}>\n${content}\n</${name}-${mark}>`;
}

/** A short word that the content does not hold. It is made from how the content begins, so that a section can grow. */
export function markFor(content: string): string {
  const seed = content.split('\n', 2);
  for (let salt = 0; ; salt++) {
    const mark = textHash([...seed, String(salt)]).slice(-8);
    if (!content.includes(mark)) return mark;
  }
}
