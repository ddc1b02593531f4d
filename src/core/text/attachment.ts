import type { Attachment } from '../model/message.ts';
import { attribute, neutralizeTags, section } from './fence.ts';

/** An attachment as it's sent: in a section that its text can't close. */
export function renderAttachment({ kind, name, text, lines }: Omit<Attachment, 'uri'>): string {
  const place = lines ? `:${lines[0]}-${lines[1]}` : '';
  const attributes = attribute('kind', kind) + attribute('name', `${name}${place}`);
  return section('attachment', neutralizeTags(text), attributes);
}
