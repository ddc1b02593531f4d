import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { RequestFaultReason } from '../../protocol/faults.ts';
import type { StatusView } from '../../protocol/views.ts';
import { completionAt } from '../composer-completion.ts';
import { formatCompact } from '../format.ts';
import { InputHistory } from '../input-history.ts';
import { page } from '../page-instance.ts';
import type { OnRejected } from '../page.ts';
import { canSend, isSubmitKey, joinTexts, returnsToComposer } from '../sending.ts';
import { parseSlashCommand } from '../slash-commands.ts';
import type { OpenSession } from '../state.ts';
import { text } from '../texts.ts';
import { queueHeading } from '../translated-names.ts';
import { AttachmentChip, attachDropped, attachImage, AttachMenu } from './attachments.tsx';
import { Icon, IconButton } from './elements.tsx';
import { handleSuggestionKey, SuggestionList, useSuggestions } from './suggestions.tsx';

/** Pause in typing before the draft is stored, in ms. */
const DRAFT_DELAY_MS = 300;

/** The caret's position in the field. `placeCaret` sets it once the field has the text that is set with it. */
function useCaret(field: RefObject<HTMLTextAreaElement | null>, value: string) {
  // When the field becomes empty, or no longer is, it has one line before its placeholder or its text has several. Not
  // called for other changes, because it takes a layout.
  useLayoutEffect(() => page.list?.keepFollowing(), [value === '']);
  const [caret, setCaret] = useState(0);
  const [placed, setPlaced] = useState<{ readonly at: number }>();
  // In the next frame, more may have been typed.
  useLayoutEffect(() => placed && field.current?.setSelectionRange(placed.at, placed.at), [placed]);
  const placeCaret = (at: number): void => {
    // Before the field gets its text.
    page.list?.readScroll();
    setCaret(at);
    setPlaced({ at });
  };
  return { caret, setCaret, placeCaret };
}

export function Composer({ session }: { readonly session: OpenSession }) {
  const field = useRef<HTMLTextAreaElement>(null);
  // Use the page's own draft, unless the host's draft has changed since, for example by *Ask About Selection*.
  const [value, setValue] = useState(() => {
    const saved = page.savedStateOf(session.id);
    return saved?.told === session.draft.text ? saved.draft : session.draft.text;
  });
  const { caret, setCaret, placeCaret } = useCaret(field, value);
  const [selected, setSelected] = useState(0);
  const [dismissed, setDismissed] = useState(false);
  const history = useMemo(() => new InputHistory(session.history), [session.history]);
  const { settings, status, draft, model } = session;
  const completion = dismissed || status.readOnly !== null ? undefined : completionAt(value, caret);

  const setText = (next: string, nextCaret = next.length) => {
    setValue(next);
    placeCaret(nextCaret);
    setSelected(0);
    setDismissed(false);
    page.save({ draft: next, told: storedDraft.current });
  };

  const latest = useRef(value);
  latest.current = value;
  const storedDraft = useRef(session.draft.text);
  const storeDraft = () => {
    if (storedDraft.current === latest.current) return;
    storedDraft.current = latest.current;
    // `save` stores the draft for the current session, which may be another one already.
    if (page.session?.id === session.id) page.save({ draft: latest.current, told: latest.current });
    page.post({ type: 'setDraft', session: session.id, text: latest.current });
  };
  useEffect(() => {
    const timer = setTimeout(storeDraft, DRAFT_DELAY_MS);
    return () => clearTimeout(timer);
  }, [value]);
  // Store the draft when the page switches to another session. Use a layout effect, because others are cleaned up after
  // the next frame, when the text of a refused message may have been stored already.
  useLayoutEffect(() => storeDraft, []);

  useLayoutEffect(() => {
    const focus = () => field.current?.focus();
    page.composer = {
      focus,
      setText: (next) => {
        setValue(next);
        focus();
      },
    };
  }, []);

  const submit = (source = value) => {
    if (!canSend(source, session)) return;
    const command = parseSlashCommand(source);
    history.reset();
    const { total } = session.transcript;
    /** Returns whether the refused text has returned to the composer. If not, it may be its own session's draft. */
    const takeBack = (reason: RequestFaultReason): boolean => {
      const current = page.session;
      if (reason === 'elsewhere') {
        // Keep the text that was typed after sending.
        const kept = latest.current === left ? source : joinTexts(source, latest.current);
        page.post({ type: 'setDraft', session: session.id, text: kept });
      }
      if (current?.id !== session.id) return false;
      if (!returnsToComposer(reason, source, total, current.transcript, current.status.queue.items)) return false;
      const typed = field.current?.value ?? '';
      setText(typed === left ? source : joinTexts(source, typed));
      return true;
    };
    const left = command ? runSlashCommand(command, takeBack) : '';
    setText(left);
    if (command) return;
    const attachments = draft.attachments.filter((each) => !each.implicit).map((each) => each.id);
    const pasted = page.pastedInto(session.id).filter((each) => source.includes(each));
    page.clearPasted(session.id);
    page.list?.scrollToEnd();
    void page.request('send', { session: session.id, text: source, attachments, pasted }, (reason) => {
      if (takeBack(reason) || reason === 'elsewhere') page.addPasted(session.id, pasted);
    });
  };

  // Focus the composer of a new session, unless a panel is open. A revealed message gets the focus afterwards.
  useLayoutEffect(() => {
    if (document.hasFocus() && page.panel === 'none') field.current?.focus();
  }, []);

  const suggestions = useSuggestions(completion, value, setText, submit);
  const hasSuggestions = suggestions.length > 0;
  const selectedIndex = Math.min(selected, suggestions.length - 1);

  const handleKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    const hasModifier = event.ctrlKey || event.metaKey || event.altKey || event.shiftKey;
    if (hasSuggestions && !hasModifier && handleSuggestionKey(event, suggestions, selectedIndex, setSelected)) return;
    if (event.key === 'Escape') {
      if (hasSuggestions) setDismissed(true);
      else if (status.replying) page.post({ type: 'stop' });
      else return;
      event.preventDefault();
      return;
    }
    if (isSubmitKey(event, settings.enterSends)) {
      event.preventDefault();
      submit();
      return;
    }
    // Shift+Up, for example, extends the selection.
    if (hasModifier) return;
    const { selectionStart = 0, selectionEnd = 0 } = field.current ?? {};
    const next = history.textAfterKey(event.key, value, selectionStart, selectionEnd);
    if (next === undefined) return;
    event.preventDefault();
    setText(next);
  };

  const handlePaste = (event: ClipboardEvent) => {
    const pasted = event.clipboardData?.getData('text/plain') ?? '';
    const image = [...(event.clipboardData?.files ?? [])].find((each) => each.type.startsWith('image/'));
    // Ignore an image if there is text as well, because Office programs add an image of copied text.
    if (image && pasted === '') {
      event.preventDefault();
      void attachImage(image);
      return;
    }
    if (pasted.length <= settings.pasteAsAttachmentAbove) {
      // Remember pasted text, which may not be the user's own words. A single word is ignored, because it may be a name.
      const normalized = pasted.replace(/\r\n?/g, '\n');
      if (/\S\s+\S/.test(normalized)) page.addPasted(session.id, [normalized]);
      return;
    }
    event.preventDefault();
    void page.attach({ kind: 'paste', text: pasted });
  };

  const readCaret = () => setCaret(field.current?.selectionStart ?? 0);
  const isSendable = canSend(value, session);
  const attachmentTokens = draft.attachments.reduce((sum, each) => sum + each.tokens, 0);
  return (
    <div
      class="composer"
      onDrop={(event) => {
        if (!event.dataTransfer || !attachDropped(event.dataTransfer)) return;
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      <QueuedMessages session={session} edit={(taken) => setText(joinTexts(latest.current, taken))} />
      {hasSuggestions && <SuggestionList suggestions={suggestions} selectedIndex={selectedIndex} />}
      <div class="composer-box">
        {draft.attachments.length > 0 && (
          <div class="chips line wrap" role="group" aria-label={text('Attachments')}>
            {draft.attachments.map((each) => (
              <AttachmentChip
                key={each.id}
                attachment={each}
                remove={() => void page.request('detach', { id: each.id })}
              />
            ))}
            {draft.attachments.length > 1 && (
              <span class="meta">{text('{0} tokens in attachments', formatCompact(attachmentTokens))}</span>
            )}
          </div>
        )}
        <textarea
          ref={field}
          class="composer-field"
          rows={1}
          value={value}
          readOnly={status.readOnly !== null}
          placeholder={placeholder(status)}
          aria-label={text('Message')}
          aria-autocomplete="list"
          aria-controls={hasSuggestions ? 'suggestions' : undefined}
          aria-activedescendant={hasSuggestions ? `suggestion-${selectedIndex}` : undefined}
          onBeforeInput={() => page.list?.readScroll()}
          onInput={(event) => {
            setValue(event.currentTarget.value);
            setCaret(event.currentTarget.selectionStart);
            setSelected(0);
            setDismissed(false);
            page.save({ draft: event.currentTarget.value });
          }}
          onKeyUp={readCaret}
          onClick={readCaret}
          onKeyDown={handleKeyDown}
          onPaste={handlePaste}
        />
        <div class="composer-foot line">
          <AttachMenu images={model.takesImages} />
          <button
            type="button"
            class="model-button line meta"
            title={joinTexts(text('Select Model'), status.readOnly?.text ?? '')}
            disabled={status.readOnly !== null}
            onClick={() => page.runCommand('chooseModel')}
          >
            {!model.ready && <Icon name="warning" />}
            <span class="cut">{model.label}</span>
            <Icon name="chevron-down" />
          </button>
          <span class="fill" />
          {status.replying && (
            <IconButton icon="stop-circle" label={text('Stop Response')} onClick={() => page.post({ type: 'stop' })} />
          )}
          {(!status.replying || isSendable) && (
            <IconButton
              icon="send"
              label={text(
                !status.replying ? 'Send' : settings.sendWhileResponding === 'queue' ? 'Add to Queue' : 'Stop and Send',
              )}
              disabled={!isSendable}
              onClick={() => submit()}
            />
          )}
        </div>
      </div>
    </div>
  );
}

/** Runs a slash command and returns the text to leave in the composer: any text that the command doesn't take. */
function runSlashCommand(
  { slash, argument }: NonNullable<ReturnType<typeof parseSlashCommand>>,
  onRejected: OnRejected,
): string {
  if (slash.command === 'recall') {
    page.recall = { query: argument };
    page.showPanel('recall');
  } else if (slash.command === 'pin') {
    if (argument === '') page.toasts.show(text('Type /pin followed by text from a message.'));
    else void page.pinQuote({ quote: argument }, onRejected);
  } else if (slash.argument) {
    page.runCommand(slash.command, argument === '' ? undefined : argument, onRejected);
  } else {
    page.runCommand(slash.command, undefined, onRejected);
    return argument;
  }
  return '';
}

function placeholder({ readOnly, isExternal }: StatusView): string {
  if (readOnly === null) return text('Ask, or type / for commands and # for context');
  return isExternal
    ? text('Read-only. To continue this chat, select Continue Here.')
    : text('This session is read-only.');
}

/** The messages that will be sent after the current reply. */
function QueuedMessages(props: { readonly session: OpenSession; readonly edit: (text: string) => void }) {
  const { id: session, status } = props.session;
  const { queue, replying } = status;
  const { items, isHeld } = queue;
  if (items.length === 0) return null;
  const heading = queueHeading(isHeld);
  const takeFromQueue = async (id: string, edit: boolean): Promise<void> => {
    const taken = await page.request('takeQueued', { id, edit });
    if (edit && taken?.text != null) {
      props.edit(taken.text);
      page.addPasted(session, taken.pasted);
    }
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
                page.list?.scrollToEnd();
                void page.request('sendQueued', { id: each.id });
              }}
            />
            <IconButton icon="edit" label={text('Edit')} onClick={() => void takeFromQueue(each.id, true)} />
            <IconButton
              icon="close"
              label={text('Remove from Queue')}
              onClick={() => void takeFromQueue(each.id, false)}
            />
          </li>
        ))}
      </ol>
    </section>
  );
}
