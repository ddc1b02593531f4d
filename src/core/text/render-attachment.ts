import type { Attachment } from '../model/message.ts';
import { sectionAttribute, neutralizeTags, wrapSection } from './prompt-sections.ts';

/** An attachment as it's sent in a request. */
export function renderAttachment({ kind, name, text, lines }: Omit<Attachment, 'uri'>): string {
  const place = lines ? `:${lines[0]}-${lines[1]}` : '';
  const attributes = sectionAttribute('kind', kind) + sectionAttribute('name', `${name}${place}`);
  return wrapSection('attachment', neutralizeTags(text), attributes);
}
