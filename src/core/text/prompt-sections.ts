import { KEY_EVENT_KINDS } from '../model/key-event.ts';
import { textHash } from './hash.ts';
import { truncate } from './truncate.ts';

/** Sections of a request that contain earlier content as data. */
export const PROMPT_SECTIONS = [
  'key_events',
  'earlier_conversation',
  'recalled_excerpts',
  'current_task',
  'workspace_memory',
  'project_rules',
  'attachment',
  'record',
] as const;
export type PromptSection = (typeof PROMPT_SECTIONS)[number];

/** The `<` of a section's tag, or of a chat template's speaker tag, that occurs in content. */
export const SECTION_TAG = new RegExp(
  `<(?=/?\\s{0,4}(?:${PROMPT_SECTIONS.join('|')})\\b)|<(?=\\|(?:im_start|im_end|system|user|assistant|endoftext)\\b)`,
  'gi',
);

/** A label in content that looks like that of a ledger entry, summary, or excerpt in a request. */
export const PROMPT_LABEL = new RegExp(
  `\\[(?:(?:${KEY_EVENT_KINDS.join('|')}), [^\\]\\n]{1,40}, message \\d{1,9}` +
    '|messages? \\d{1,9}(?:[–-]\\d{1,9})?(?:, \\w{1,12})?|session [^\\]\\n]{1,200}, message \\d{1,9}[^\\]\\n]{0,20})\\]',
  'gi',
);

/** A speaker label at the beginning of a line, in records and summaries. */
const SPEAKER_LABEL = /^(summary|[Uu]ser|USER|[Aa]ssistant|ASSISTANT|[Ss]ystem|SYSTEM|[Tt]ool|TOOL)(?=:)/gm;

/** Puts speaker labels in content in quotation marks, so that they aren't mistaken for those of the text around it. */
export const quoteSpeakerLabels = (content: string): string => content.replace(SPEAKER_LABEL, '“$1”');

/** Changes the brackets of this product's own tags in content, and puts its labels in quotation marks. Linear. */
export const neutralizeTags = (content: string): string =>
  content.replace(SECTION_TAG, '‹').replace(PROMPT_LABEL, '“$&”');

/** A name or title in one short line, without characters that could close a label or tag. */
export function plainName(name: string): string {
  return truncate(name, 200)
    .replace(/[\s"“”<>[\]|]+/g, ' ')
    .trim();
}

/** `name="value"` for a section's opening tag. */
export const sectionAttribute = (name: string, value: string): string => ` ${name}="${plainName(value)}"`;

/**
 * A section of a request. Its tags contain a delimiter that doesn't occur in the content, so the content can't close
 * the section. The delimiter is derived from the content, so that the same content gives the same bytes for prompt
 * caches.
 */
export function wrapSection(name: PromptSection, content: string, attributes = ''): string {
  const delimiter = delimiterFor(content);
  return `<${name}-${delimiter}${attributes}>\n${content}\n</${name}-${delimiter}>`;
}

/** A short word that the content doesn't contain. It's derived from the first two lines, so that a section can grow. */
function delimiterFor(content: string): string {
  const seed = content.split('\n', 2);
  for (let salt = 0; ; salt++) {
    const delimiter = textHash([...seed, String(salt)]).slice(-8);
    if (!content.includes(delimiter)) return delimiter;
  }
}
