import type { MessageView } from '../../protocol/views.ts';
import { usePage } from '../page-context.ts';
import { lastText, type Page } from '../page.ts';
import { text } from '../texts.ts';
import { IconButton } from './icon-button.tsx';

/** What can be done with a message, or with what is selected of it. */
export function MessageActions(props: {
  readonly message: MessageView;
  readonly busy: boolean;
  readonly edit: () => void;
}) {
  const { message } = props;
  const page = usePage();
  const isForeign = page.session?.status.foreign === true;
  const busy = props.busy || isForeign;
  const id = { message: message.id };
  const spoken = message.role === 'user' || message.role === 'assistant';
  return (
    <div class="message-actions" role="group" aria-label={text('messageActions')}>
      {message.steps && (
        <IconButton icon="checklist" label={text('adoptSteps')} onClick={() => void adopt(page, message)} />
      )}
      {message.files !== undefined && (
        <IconButton
          icon="git-pull-request-go-to-changes"
          label={text('applyAll', String(message.files))}
          onClick={() => void page.ask('applyEdits', id)}
        />
      )}
      <IconButton icon="copy" label={text('copyMarkdown')} onClick={() => void copyMessage(page, message)} />
      {message.role === 'user' && <IconButton icon="edit" label={text('edit')} disabled={busy} onClick={props.edit} />}
      {message.role === 'assistant' && (
        <IconButton icon="refresh" label={text('retry')} disabled={busy} onClick={() => void page.ask('retry', id)} />
      )}
      {spoken && (
        <>
          <IconButton icon="quote" label={text('quote')} keepSelection onClick={() => quote(page, message)} />
          <IconButton icon="pin" label={text('pin')} keepSelection onClick={() => void pin(page, message)} />
          <IconButton
            icon="bookmark"
            label={text('remember')}
            keepSelection
            onClick={() => void page.ask('remember', { ...id, quote: selectionIn(message) })}
          />
          <IconButton
            icon="repo-forked"
            label={text(isForeign ? 'continueHere' : 'fork')}
            disabled={props.busy}
            onClick={() => void fork(page, message, isForeign)}
          />
        </>
      )}
      <IconButton icon="trash" label={text('remove')} disabled={busy} onClick={() => void remove(page, message)} />
    </div>
  );
}

async function copyMessage(page: Page, message: MessageView): Promise<void> {
  if (await page.do('copyMessage', { message: message.id })) page.tell(text('copied'));
}

async function fork(page: Page, message: MessageView, isForeign: boolean): Promise<void> {
  if ((await page.do('fork', { message: message.id })) && !isForeign) page.tell(text('forked'));
}

async function remove(page: Page, message: MessageView): Promise<void> {
  if (!(await page.do('deleteMessage', { message: message.id }))) return;
  const undo = () => void page.ask('undoDelete', { message: message.id });
  page.tell(text('deleted'), 'info', { label: text('undo'), run: undo });
}

/** The selected text, if it lies in this message. */
function selectionIn(message: MessageView): string {
  const selection = window.getSelection();
  const node = selection?.anchorNode;
  const element = node instanceof Element ? node : node?.parentElement;
  const within = element?.closest<HTMLElement>('[data-message]')?.dataset['message'] === message.id;
  return within ? selection!.toString().trim() : '';
}

function quote(page: Page, message: MessageView): void {
  const source = selectionIn(message) || lastText(message);
  page.signal({ type: 'quote', text: source });
}

async function pin(page: Page, message: MessageView): Promise<void> {
  const fields = { message: message.id, quote: selectionIn(message), kind: 'fact' as const };
  if (await page.do('pinQuote', fields)) page.tell(text('pinned'));
}

/** Makes the task lists of a reply the steps of the task; what was done of a task that is there stays done. */
async function adopt(page: Page, { steps = [] }: MessageView): Promise<void> {
  const task = page.session?.task;
  const known = new Map(task?.steps.map((step) => [step.text, step.status]));
  await page.ask('setTask', {
    goal: task?.goal ?? page.session?.title ?? '',
    steps: steps.map((step) => ({ text: step.text, status: step.done ? 'done' : (known.get(step.text) ?? 'pending') })),
  });
}
