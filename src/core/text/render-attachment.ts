import type { Attachment } from '../model/message.ts';
import { sectionAttribute, neutralizeTags, wrapSection } from './prompt-sections.ts';

/** Each context contains the same attachments, and rendering one of several megabytes takes tens of milliseconds. */
const rendered = new WeakMap<Omit<Attachment, 'uri'>, string>();

/** An attachment as it's sent in a request. */
export function renderAttachment(attachment: Omit<Attachment, 'uri'>): string {
  const known = rendered.get(attachment);
  if (known !== undefined) return known;
  const { kind, name, text, lines } = attachment;
  const place = lines ? `:${lines[0]}-${lines[1]}` : '';
  const attributes = sectionAttribute('kind', kind) + sectionAttribute('name', `${name}${place}`);
  const section = wrapSection('attachment', neutralizeTags(text), attributes);
  rendered.set(attachment, section);
  return section;
}
