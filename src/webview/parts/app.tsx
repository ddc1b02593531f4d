import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { TranscriptList } from '../list/transcript-list.tsx';
import { page } from '../page-instance.ts';
import type { OpenSession } from '../state.ts';
import { text } from '../texts.ts';
import { Composer } from './composer.tsx';
import { Button, Icon, IconButton } from './elements.tsx';
import { Gauge } from './gauge.tsx';
import { Markdown } from './markdown.tsx';
import { ModelSetup, Notices, ToastNotice } from './notices.tsx';
import { PreviewPanel } from './preview-panel.tsx';
import { FindBar, RecallPanel } from './search-panels.tsx';
import { SessionsPanel } from './sessions-panel.tsx';
import { TaskHeader } from './task-header.tsx';

export function App() {
  const [, setRevision] = useState(0);
  // Use a layout effect, because others run after the next message may have arrived.
  useLayoutEffect(() => {
    page.rerender = () => setRevision((revision) => revision + 1);
  }, []);
  const { state } = page;
  return (
    <>
      {state.type === 'loading' && (
        <ChatPlaceholder icon="loading codicon-modifier-spin" busy>
          <p class="meta">{text('Opening session…')}</p>
        </ChatPlaceholder>
      )}
      {state.type === 'unavailable' && (
        <ChatPlaceholder icon="error">
          <p role="alert">{state.text}</p>
          <div class="row-of-buttons">
            {state.actions.map(({ label, command }) => (
              <Button
                key={command}
                look="button"
                onClick={() => void page.runFaultAction(command, () => page.post({ type: 'ready' }))}
              >
                {label}
              </Button>
            ))}
          </div>
        </ChatPlaceholder>
      )}
      {state.type === 'document' && (
        <main class="document" aria-label={state.title} tabIndex={0}>
          <Markdown source={state.text} breaks />
        </main>
      )}
      {state.type === 'open' && <Chat session={state.session} />}
      <div class="off-screen" aria-live="polite" role="status">
        <span key={page.announcement}>{page.announcement.text}</span>
      </div>
    </>
  );
}

function ChatPlaceholder(props: {
  readonly icon: string;
  readonly busy?: boolean;
  readonly children: ComponentChildren;
}) {
  return (
    <main class="empty" aria-busy={props.busy} aria-label={text('Chat')}>
      <h1 class="off-screen">{text('Chat')}</h1>
      <Icon name={props.icon} class="empty-icon" />
      {props.children}
    </main>
  );
}

function Chat({ session }: { readonly session: OpenSession }) {
  const { panel, toasts } = page;
  useLayoutEffect(() => {
    const find = (event: KeyboardEvent) => {
      const isFind = event.key.toLowerCase() === 'f' && (event.ctrlKey || event.metaKey);
      if (!isFind || event.shiftKey || event.altKey) return;
      event.preventDefault();
      const bar = document.querySelector('.find-bar');
      // `closePanel` must not return the focus to the bar itself.
      if (!bar?.contains(document.activeElement)) page.showPanel('find');
      // Select the previous query, so that typing replaces it.
      bar?.querySelector('input')?.select();
    };
    window.addEventListener('keydown', find);
    return () => window.removeEventListener('keydown', find);
  }, []);
  return (
    <main
      class="chat"
      aria-label={text('Chat')}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing || panel === 'none') return;
        event.preventDefault();
        page.closePanel();
      }}
    >
      <Header session={session} />
      {panel === 'sessions' && <SessionsPanel session={session} />}
      {panel === 'recall' && <RecallPanel key={page.recall} session={session} />}
      {panel === 'find' && <FindBar session={session} />}
      {/* Not its ID, so that a step that is being typed is kept when the steps are replaced. */}
      {session.task && (
        <TaskHeader key={`${session.id} ${session.task.goal}`} session={session.id} task={session.task} />
      )}
      {session.transcript.total === 0 ? (
        <EmptySession session={session} />
      ) : (
        <TranscriptList key={session.id} session={session} />
      )}
      {panel === 'preview' && <PreviewPanel key={page.preview} />}
      <Notices session={session} />
      <ModelSetup session={session} />
      {toasts.shown.map((toast) => (
        <ToastNotice key={toast} toast={toast} />
      ))}
      <Gauge gauge={session.gauge} />
      <Composer key={session.id} session={session} />
    </main>
  );
}

function Header({ session }: { readonly session: OpenSession }) {
  const open = page.panel === 'sessions';
  return (
    <header class="header line">
      <h1 class="fill">
        <button
          type="button"
          class="title-button line"
          aria-expanded={open}
          title={text('Sessions')}
          onClick={() => page.togglePanel('sessions')}
        >
          <span class="cut" title={session.title}>
            {session.title}
          </span>
          <Icon name={open ? 'chevron-up' : 'chevron-down'} />
        </button>
      </h1>
      <IconButton
        icon="search"
        label={text('Search')}
        expanded={page.panel === 'recall'}
        onClick={() => page.togglePanel('recall')}
      />
      <IconButton icon="add" label={text('New Session')} onClick={() => page.runCommand('newSession')} />
    </header>
  );
}

function EmptySession({ session }: { readonly session: OpenSession }) {
  const { elsewhere } = session;
  const { provider, ready } = session.model;
  const local = provider === 'local';
  return (
    <div class="empty">
      <Icon name="comment-discussion" class="empty-icon" />
      <h2>{text('What are you working on?')}</h2>
      <p>
        {text(
          'The most important decisions, errors, and constraints stay verbatim. Type / for commands and # to add context.',
        )}
      </p>
      {(local || !ready) && (
        <p class="meta">
          {text(
            local
              ? 'No model is configured. Without one, Threadkeeper can only quote earlier messages. Select a model to chat.'
              : 'The selected model isn’t available. Select another model, or set its API key if it needs one.',
          )}
        </p>
      )}
      <div class="row-of-buttons">
        {(local || !ready) && (
          <Button look="button" refusal={page.readOnly} onClick={() => page.runCommand('chooseModel')}>
            {text('Select Model…')}
          </Button>
        )}
        <Button look="button secondary" onClick={() => page.runCommand('importTranscript')}>
          {text('Import Transcript…')}
        </Button>
        <Button look="button secondary" onClick={() => page.runCommand('openSampleSession')}>
          {text('Open Sample Session')}
        </Button>
        {elsewhere === 'moved' && (
          <Button look="button secondary" onClick={() => page.runCommand('reattachSessions')}>
            {text('Recover Sessions from a Moved Folder…')}
          </Button>
        )}
        {elsewhere !== undefined && (
          <Button look="button secondary" onClick={() => page.runCommand('openOtherSession')}>
            {text('Open Session from Another Workspace…')}
          </Button>
        )}
      </div>
    </div>
  );
}
