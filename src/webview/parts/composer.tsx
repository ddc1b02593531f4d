import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { StatusView } from '../../protocol/views.ts';
import { completingAt, InputHistory, readCommand } from '../completion.ts';
import { formatShort } from '../format.ts';
import { usePage } from '../page-context.ts';
import type { Page } from '../page.ts';
import { givesBack, joined, sends } from '../sending.ts';
import type { OpenSession } from '../state.ts';
import { text } from '../texts.ts';
import { AttachmentChip, attachDropped, attachImage, AttachMenu } from './attachments.tsx';
import { Icon, IconButton } from './elements.tsx';
import { suggestionKey, SuggestionList, useSuggestions } from './suggestions.tsx';

/** Pause in typing before the draft is stored, in ms. */
const DRAFT_PAUSE = 300;

/** The input for messages. */
export function Composer({ session }: { readonly session: OpenSession }) {
  const page = usePage();
  const field = useRef<HTMLTextAreaElement>(null);
  // The page's own draft, unless the host's has changed since, for example by a question from the editor.
  const [value, setValue] = useState(() => {
    const saved = page.savedFor(session.id);
    return saved?.told === session.draft.text ? saved.draft : session.draft.text;
  });
  const [caret, setCaret] = useState(0);
  const [chosen, setChosen] = useState(0);
  const [dismissed, setDismissed] = useState(false);
  const history = useMemo(() => new InputHistory(session.history), [session.history]);
  const { settings, status, draft, model } = session;
  const completing = dismissed ? undefined : completingAt(value, caret);

  const write = (next: string, at = next.length) => {
    setValue(next);
    setCaret(at);
    setChosen(0);
    setDismissed(false);
    page.save({ draft: next, told: kept.current });
    requestAnimationFrame(() => field.current?.setSelectionRange(at, at));
  };

  const now = useRef(value);
  now.current = value;
  const kept = useRef(session.draft.text);
  const keep = () => {
    if (kept.current === now.current) return;
    kept.current = now.current;
    // The page may already show another session.
    if (page.session?.id === session.id) page.save({ draft: now.current, told: now.current });
    page.post({ type: 'setDraft', session: session.id, text: now.current });
  };
  useEffect(() => {
    const timer = setTimeout(keep, DRAFT_PAUSE);
    return () => clearTimeout(timer);
  }, [value]);
  // Switching to another session while typing doesn't lose anything.
  useEffect(() => keep, []);

  useLayoutEffect(() => {
    const focus = () => field.current?.focus();
    page.composer = {
      focus,
      quote: (words) => {
        setValue(
          (before) => `${before}${before === '' || before.endsWith('\n') ? '' : '\n'}${words.replace(/^/gm, '> ')}\n\n`,
        );
        focus();
      },
      write: (words) => {
        setValue(words);
        focus();
      },
    };
  }, []);

  const submit = (source = value) => {
    const command = readCommand(source);
    if (command) {
      write('');
      runSlash(page, command);
      return;
    }
    const attachments = draft.attachments.filter((each) => !each.implicit).map((each) => each.id);
    if (source.trim() === '' && attachments.length === 0) return;
    const pasted = page.savedFor(session.id)?.pasted.filter((each) => source.includes(each)) ?? [];
    write('');
    page.save({ pasted: [] });
    page.list?.toEnd();
    const before = session.transcript.total;
    void page.ask('send', { session: session.id, text: source, attachments, pasted }, (reason) => {
      const now = page.session;
      if (reason === 'elsewhere') page.post({ type: 'setDraft', session: session.id, text: source });
      if (now?.id !== session.id || !givesBack(reason, source, before, now.transcript, now.status.queue.items)) return;
      // A rejected text returns to the composer, before what was typed meanwhile.
      write(joined(source, field.current?.value ?? ''));
    });
  };

  // An opened session gets the focus, unless a panel's field has it.
  useEffect(() => {
    if (document.hasFocus() && page.panel === 'none') field.current?.focus();
  }, []);

  const suggestions = useSuggestions(completing, value, write, submit);
  const open = suggestions.length > 0;
  const picked = Math.min(chosen, suggestions.length - 1);

  const keyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    if (open && suggestionKey(event, suggestions, picked, setChosen)) return;
    if (event.key === 'Escape') {
      if (open) setDismissed(true);
      else if (status.replying) page.post({ type: 'stop' });
      else return;
      event.preventDefault();
      return;
    }
    if (sends(event, settings.enterSends)) {
      event.preventDefault();
      submit();
      return;
    }
    const before = value.slice(0, field.current?.selectionStart ?? 0);
    const isFirstLine = !before.includes('\n') && (value === '' || history.browsing);
    const isStep = event.key === 'ArrowUp' ? isFirstLine : event.key === 'ArrowDown' && history.browsing;
    const stepped = isStep ? history.step(event.key === 'ArrowUp' ? -1 : 1, value) : undefined;
    if (stepped === undefined) return;
    event.preventDefault();
    write(stepped);
  };

  const paste = (event: ClipboardEvent) => {
    const pasted = event.clipboardData?.getData('text/plain') ?? '';
    const image = [...(event.clipboardData?.files ?? [])].find((each) => each.type.startsWith('image/'));
    // Ignore an image next to text, because Office programs add one of the text. An image alone is rejected with a
    // message if the model doesn't support images.
    if (image && pasted === '') {
      event.preventDefault();
      void attachImage(page, image);
      return;
    }
    if (pasted.length <= settings.pasteAsAttachmentAbove) {
      // A single word may be a name; more words may be somebody else's.
      const words = pasted.replace(/\r\n?/g, '\n');
      if (/\S\s+\S/.test(words)) page.save({ pasted: [...(page.savedFor(session.id)?.pasted ?? []), words] });
      return;
    }
    event.preventDefault();
    void page.ask('attach', { what: { kind: 'paste', text: pasted } });
  };

  const isEmpty = value.trim() === '' && draft.attachments.every((each) => each.implicit);
  const attached = draft.attachments.reduce((sum, each) => sum + each.tokens, 0);
  return (
    <div
      class="composer"
      onDrop={(event) => {
        if (!event.dataTransfer || !attachDropped(page, event.dataTransfer)) return;
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      <QueuedMessages status={status} edit={(taken) => write(joined(value, taken))} />
      {open && <SuggestionList suggestions={suggestions} picked={picked} />}
      <div class="composer-box">
        {draft.attachments.length > 0 && (
          <div class="chips line wrap" role="group" aria-label={text('Attachments')}>
            {draft.attachments.map((each) => (
              <AttachmentChip key={each.id} attachment={each} remove={() => void page.ask('detach', { id: each.id })} />
            ))}
            {draft.attachments.length > 1 && (
              <span class="meta">{text('{0} tokens in attachments', formatShort(attached))}</span>
            )}
          </div>
        )}
        <textarea
          ref={field}
          class="composer-field"
          rows={1}
          value={value}
          readOnly={status.readOnly !== null}
          placeholder={placeholderOf(status)}
          aria-label={text('Message')}
          aria-autocomplete="list"
          aria-controls={open ? 'suggestions' : undefined}
          aria-activedescendant={open ? `suggestion-${picked}` : undefined}
          onInput={(event) => {
            setValue(event.currentTarget.value);
            setCaret(event.currentTarget.selectionStart);
            setChosen(0);
            setDismissed(false);
            page.save({ draft: event.currentTarget.value });
          }}
          onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
          onKeyDown={keyDown}
          onPaste={paste}
        />
        <div class="composer-foot line">
          <AttachMenu images={model.takesImages} />
          <button
            type="button"
            class="model-button line meta"
            title={text('Select Model')}
            onClick={() => page.run('chooseModel')}
          >
            {!model.ready && <Icon name="warning" />}
            <span class="cut">{model.label}</span>
            <Icon name="chevron-down" />
          </button>
          <span class="fill" />
          {status.replying && (
            <IconButton icon="stop-circle" label={text('Stop Response')} onClick={() => page.post({ type: 'stop' })} />
          )}
          {(!status.replying || !isEmpty) && (
            <IconButton
              icon="send"
              label={text(
                !status.replying ? 'Send' : settings.sendWhileResponding === 'queue' ? 'Add to Queue' : 'Stop and Send',
              )}
              disabled={status.readOnly !== null || isEmpty}
              onClick={() => submit()}
            />
          )}
        </div>
      </div>
    </div>
  );
}

function runSlash(page: Page, { slash, argument }: NonNullable<ReturnType<typeof readCommand>>): void {
  if (slash.command === 'recall') {
    page.recallQuery = argument;
    page.show('recall');
  } else if (slash.command === 'pin') {
    if (argument === '') page.tell(text('Type /pin followed by text from a message.'));
    else void pinText(page, argument);
  } else {
    page.run(slash.command, argument === '' ? undefined : argument);
  }
}

async function pinText(page: Page, quote: string): Promise<void> {
  if (await page.do('pinQuote', { quote, kind: 'fact' }))
    page.tell(text('Pinned. This text stays verbatim through every compression.'));
}

function placeholderOf({ readOnly, foreign }: StatusView): string {
  if (readOnly === null) return text('Ask, or type / for commands and # for context');
  return foreign ? text('Read-only. To continue this chat, select Continue Here.') : text('This session is read-only.');
}

/**
 * Messages that are sent after the current reply, above the composer. Each can be sent immediately, edited, or removed.
 */
function QueuedMessages(props: { readonly status: StatusView; readonly edit: (text: string) => void }) {
  const page = usePage();
  const { queue, replying } = props.status;
  const { items, isHeld } = queue;
  if (items.length === 0) return null;
  const heading = text(isHeld ? 'Queued messages (on hold)' : 'Queued messages');
  const take = async (id: string, edit: boolean): Promise<void> => {
    const taken = await page.ask('takeQueued', { id, edit });
    if (edit && taken?.text != null) props.edit(taken.text);
    page.composer?.focus();
  };
  return (
    <section class="queue" aria-label={heading}>
      <p class="meta">
        <Icon name={isHeld ? 'debug-pause' : 'list-ordered'} /> {heading}
      </p>
      <ol>
        {items.map((each) => (
          <li key={each.id} class="line">
            <span class="cut fill">{each.text}</span>
            {each.attachments > 0 && (
              <span class="meta" title={text('Attachments')}>
                <Icon name="attach" /> {each.attachments}
              </span>
            )}
            <IconButton
              icon="arrow-up"
              label={text(replying ? 'Stop and Send' : 'Send Now')}
              onClick={() => {
                page.list?.toEnd();
                void page.ask('sendQueued', { id: each.id });
              }}
            />
            <IconButton icon="edit" label={text('Edit')} onClick={() => void take(each.id, true)} />
            <IconButton icon="close" label={text('Remove from Queue')} onClick={() => void take(each.id, false)} />
          </li>
        ))}
      </ol>
    </section>
  );
}
