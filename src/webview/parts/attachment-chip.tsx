import type { AttachmentView } from '../../protocol/views.ts';
import { baseName, formatTokens } from '../format.ts';
import { text } from '../texts.ts';
import { Icon, IconButton } from './icon-button.tsx';

const ICONS: Readonly<Record<AttachmentView['kind'], string>> = {
  file: 'file',
  selection: 'list-selection',
  problems: 'warning',
  terminal: 'terminal',
  paste: 'clippy',
  image: 'file-media',
};

/** What goes or went with a message, and what it costs. */
export function AttachmentChip(props: { readonly attachment: AttachmentView; readonly remove?: () => void }) {
  const { attachment } = props;
  const name = baseName(attachment.name);
  const lines = [...new Set(attachment.lines)].join('-');
  const label = lines === '' ? name : `${name}:${lines}`;
  return (
    <span
      class={attachment.implicit ? 'implicit' : 'chip'}
      title={attachment.implicit ? text('{0} (active file, sent with the message)', attachment.name) : attachment.name}
    >
      <Icon name={attachment.name.endsWith('/') ? 'folder' : ICONS[attachment.kind]} />
      <span class="chip-name">{label}</span>
      <span class="meta">{formatTokens(attachment.tokens)}</span>
      {props.remove && <IconButton icon="close" label={text('Remove {0}', name)} onClick={props.remove} />}
    </span>
  );
}
