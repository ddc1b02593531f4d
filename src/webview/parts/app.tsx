import { useEffect } from 'preact/hooks';
import type { WayOut } from '../../protocol/views.ts';
import { TranscriptList } from '../list/transcript-list.tsx';
import { PageContext, usePage, usePageChanges } from '../page-context.ts';
import type { Page } from '../page.ts';
import type { OpenSession } from '../state.ts';
import { text } from '../texts.ts';
import type { Toast } from '../toasts.ts';
import { Composer } from './composer.tsx';
import { FindBar } from './find-bar.tsx';
import { Gauge, GaugeRoom } from './gauge.tsx';
import { Icon, IconButton } from './icon-button.tsx';
import { Markdown } from './markdown.tsx';
import { ModelSetup } from './model-setup.tsx';
import { Notices } from './notices.tsx';
import { PreviewPanel } from './preview-panel.tsx';
import { RecallPanel, SessionsPanel } from './session-panels.tsx';
import { TaskHeader } from './task-header.tsx';

/** The whole page. */
export function App({ page }: { readonly page: Page }) {
  usePageChanges(page);
  const { state } = page;
  return (
    <PageContext.Provider value={page}>
      {state.phase === 'loading' && <Loading />}
      {state.phase === 'unavailable' && <Unavailable words={state.text} actions={state.actions} />}
      {state.phase === 'document' && (
        <main class="document" aria-label={state.title} tabIndex={0}>
          <Markdown source={state.text} breaks />
        </main>
      )}
      {state.phase === 'open' && <Chat session={state.session} page={page} />}
      <div class="off-screen" aria-live="polite" role="status">
        {page.announcement}
      </div>
    </PageContext.Provider>
  );
}

function Chat({ session, page }: { readonly session: OpenSession; readonly page: Page }) {
  const empty = session.transcript.total === 0;
  useEffect(() => {
    const find = (event: KeyboardEvent) => {
      const isFind = event.key.toLowerCase() === 'f' && (event.ctrlKey || event.metaKey);
      if (!isFind || event.shiftKey || event.altKey) return;
      event.preventDefault();
      page.show('find');
    };
    window.addEventListener('keydown', find);
    return () => window.removeEventListener('keydown', find);
  }, [page]);
  return (
    <main
      class="chat"
      aria-label={text('Chat')}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing || page.panel === 'none') return;
        event.preventDefault();
        page.leavePanel();
      }}
    >
      <Header session={session} page={page} />
      {page.panel === 'sessions' && <SessionsPanel session={session} />}
      {page.panel === 'recall' && <RecallPanel />}
      {page.panel === 'find' && <FindBar session={session} />}
      {session.task && <TaskHeader key={session.task.id} task={session.task} />}
      {empty ? <Empty session={session} page={page} /> : <TranscriptList key={session.id} session={session} />}
      {page.panel === 'preview' && <PreviewPanel />}
      <Notices session={session} />
      <ModelSetup session={session} />
      {page.toasts.shown.map((toast) => (
        <ToastBar key={toast.id} page={page} toast={toast} />
      ))}
      {session.gauge ? <Gauge gauge={session.gauge} /> : <GaugeRoom />}
      <Composer key={session.id} session={session} />
    </main>
  );
}

function Header({ session, page }: { readonly session: OpenSession; readonly page: Page }) {
  const open = page.panel === 'sessions';
  return (
    <header class="header">
      <h1 class="header-title">
        <button
          type="button"
          class="title-button"
          aria-expanded={open}
          title={text('Sessions')}
          onClick={() => page.show(open ? 'none' : 'sessions')}
        >
          <span>{session.title}</span>
          <Icon name={open ? 'chevron-up' : 'chevron-down'} />
        </button>
      </h1>
      <IconButton
        icon="search"
        label={text('Search')}
        expanded={page.panel === 'recall'}
        onClick={() => page.show(page.panel === 'recall' ? 'none' : 'recall')}
      />
      <IconButton icon="add" label={text('New Session')} onClick={() => page.run('newSession')} />
    </header>
  );
}

function Empty({ session, page }: { readonly session: OpenSession; readonly page: Page }) {
  const local = session.model.provider === 'local';
  return (
    <div class="empty">
      <Icon name="comment-discussion" class="empty-icon" />
      <h2>{text('What are you working on?')}</h2>
      <p>
        {text(
          'The most important decisions, errors, and constraints stay verbatim. Type / for commands and # to add context.',
        )}
      </p>
      {(local || !session.model.ready) && (
        <p class="meta">
          {text(
            local
              ? 'No model is configured. Without one, Threadkeeper can only quote earlier messages. Select a model to chat.'
              : 'The selected model isn’t available. Select another model, or set its API key if it needs one.',
          )}
        </p>
      )}
      <div class="row-of-buttons">
        <button type="button" class="button" onClick={() => page.run('chooseModel')}>
          {text('Select Model…')}
        </button>
        <button type="button" class="button secondary" onClick={() => page.run('importTranscript')}>
          {text('Import Transcript…')}
        </button>
        <button type="button" class="button secondary" onClick={() => page.run('openSampleSession')}>
          {text('Open Sample Session')}
        </button>
      </div>
    </div>
  );
}

function Loading() {
  return (
    <main class="empty" aria-busy="true" aria-label={text('Chat')}>
      <h1 class="off-screen">{text('Chat')}</h1>
      <Icon name="loading" class="codicon-modifier-spin empty-icon" />
      <p class="meta">{text('Opening session…')}</p>
    </main>
  );
}

function Unavailable({ words, actions }: { readonly words: string; readonly actions: readonly WayOut[] }) {
  const page = usePage();
  return (
    <main class="empty" aria-label={text('Chat')}>
      <h1 class="off-screen">{text('Chat')}</h1>
      <Icon name="error" class="empty-icon" />
      <p role="alert">{words}</p>
      <div class="row-of-buttons">
        {actions.map(({ label, command }) => (
          <button
            key={command}
            type="button"
            class="button"
            onClick={() => void page.acts.takeWayOut(command, () => page.resync('asked again'))}
          >
            {label}
          </button>
        ))}
      </div>
    </main>
  );
}

function ToastBar({ page, toast }: { readonly page: Page; readonly toast: Toast }) {
  const { action } = toast;
  return (
    <div class={`notice notice-${toast.severity} toast`} role={toast.severity === 'error' ? 'alert' : 'status'}>
      <Icon name={toast.severity} />
      <span class="notice-text">{toast.text}</span>
      {action && (
        <button
          type="button"
          class="text-button"
          onClick={() => {
            page.toasts.untell(toast.id);
            action.run();
          }}
        >
          {action.label}
        </button>
      )}
      <IconButton icon="close" label={text('Dismiss')} onClick={() => page.toasts.untell(toast.id)} />
    </div>
  );
}
