import { useEffect, useRef, useState } from 'preact/hooks';
import type { PreviewView } from '../../protocol/views.ts';
import { formatCost, formatCount, formatCounted } from '../format.ts';
import { usePage } from '../page-context.ts';
import { text } from '../texts.ts';
import { EventList } from './event-marks.tsx';

/** What a compression would do, before it does it. */
export function PreviewPanel() {
  const page = usePage();
  const [preview, setPreview] = useState<PreviewView>();
  const confirm = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    void page.ask('previewCompression', {}).then((answer) => {
      if (answer) setPreview(answer);
      else page.show('none');
    });
  }, []);
  // The panel opens at its beginning, however far below it the buttons are.
  useEffect(() => confirm.current?.focus({ preventScroll: true }), [preview]);
  const nothing = preview?.nothing ?? null;
  return (
    <section class="panel preview" aria-label={text('Compress now?')}>
      <h2>{text('Compress now?')}</h2>
      {preview ? (
        <>
          <p>{nothing ?? outcome(preview)}</p>
          {!nothing && <PreviewEvents preview={preview} />}
          <div class="row-of-buttons">
            <button
              ref={nothing ? confirm : undefined}
              type="button"
              class="button secondary"
              onClick={() => page.leavePanel()}
            >
              {text(nothing ? 'Close' : 'Cancel')}
            </button>
            {!nothing && (
              <button
                ref={confirm}
                type="button"
                class="button"
                onClick={() => {
                  page.leavePanel();
                  page.run('compressHistory', 'now');
                }}
              >
                {text('Compress')}
              </button>
            )}
          </div>
        </>
      ) : (
        <p class="meta">{text('Calculating…')}</p>
      )}
    </section>
  );
}

function outcome({ messages, tokens, model, estimatedCostUsd }: PreviewView): string {
  const [before, after] = [formatCount(tokens.before), formatCount(tokens.after)];
  const effect = formatCounted(
    messages,
    'Compresses 1 message. Context: {1} → about {2} tokens.',
    'Compresses {0} messages. Context: {1} → about {2} tokens.',
    before,
    after,
  );
  if (estimatedCostUsd === 0) return `${effect} ${text('No cost.')}`;
  const cost =
    estimatedCostUsd === null
      ? text('Unknown cost: no pricing information for {0}.', model)
      : text('Cost: up to about {0}.', formatCost(estimatedCostUsd));
  return `${effect} ${cost}`;
}

/** The key events, in a box of their own that scrolls, so that what is asked and the answers stay in view. */
function PreviewEvents({ preview: { kept, dropped } }: { readonly preview: PreviewView }) {
  if (kept.length === 0 && dropped.length === 0) return null;
  return (
    <div class="preview-events" tabIndex={0} role="group" aria-label={text('Key events')}>
      {kept.length > 0 && (
        <>
          <h3>{text('Kept verbatim ({0})', kept.length)}</h3>
          <EventList events={kept} fixed />
        </>
      )}
      {dropped.length > 0 && (
        <>
          <h3>{text('Not kept verbatim ({0})', dropped.length)}</h3>
          <ul class="dropped">
            {dropped.map((each, index) => (
              <li key={index}>{each}</li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
