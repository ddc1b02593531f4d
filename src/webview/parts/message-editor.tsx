import { useEffect, useRef, useState } from 'preact/hooks';
import type { MessageView } from '../../protocol/views.ts';
import { usePage } from '../page-context.ts';
import { lastText } from '../page.ts';
import { sends } from '../sending.ts';
import { text } from '../texts.ts';

/** A message's text in an editor; sending it starts a new branch. */
export function MessageEditor(props: { readonly message: MessageView; readonly close: () => void }) {
  const page = usePage();
  const [value, setValue] = useState(lastText(props.message));
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const resend = async () => {
    if (value.trim() === '') return;
    if (await page.do('editAndResend', { message: props.message.id, text: value })) props.close();
  };
  return (
    <div class="message-editor">
      <textarea
        ref={field}
        value={value}
        aria-label={text('edit')}
        onInput={(event) => setValue(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.isComposing) return;
          if (event.key === 'Escape') props.close();
          else if (sends(event, page.session?.settings.enterSends ?? true)) void resend();
          else return;
          event.preventDefault();
        }}
      />
      <div class="row-of-buttons">
        <span class="meta">{text('editHint')}</span>
        <button type="button" class="button secondary" onClick={props.close}>
          {text('cancel')}
        </button>
        <button type="button" class="button" disabled={value.trim() === ''} onClick={() => void resend()}>
          {text('resend')}
        </button>
      </div>
    </div>
  );
}
