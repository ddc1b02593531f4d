import { useEffect, useRef, useState } from 'preact/hooks';
import type { PreviewView } from '../../protocol/views.ts';
import { formatCost, formatCount } from '../format.ts';
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
  useEffect(() => confirm.current?.focus(), [preview]);
  return (
    <section
      class="panel preview"
      aria-label={text('previewTitle')}
      onKeyDown={(event) => {
        if (event.key === 'Escape') page.show('none');
      }}
    >
      <h2>{text('previewTitle')}</h2>
      {preview ? (
        <>
          <p>
            {text(
              'previewText',
              formatCount(preview.messages),
              formatCount(preview.tokens.before),
              formatCount(preview.tokens.after),
              formatCost(preview.costUsd),
            )}
          </p>
          {preview.kept.length > 0 && (
            <>
              <h3>{text('previewKept', preview.kept.length)}</h3>
              <EventList events={preview.kept} fixed />
            </>
          )}
          {preview.dropped.length > 0 && (
            <>
              <h3>{text('previewDropped', preview.dropped.length)}</h3>
              <ul class="dropped">
                {preview.dropped.map((each, index) => (
                  <li key={index}>{each}</li>
                ))}
              </ul>
            </>
          )}
          <div class="row-of-buttons">
            <button type="button" class="button secondary" onClick={() => page.show('none')}>
              {text('cancel')}
            </button>
            <button
              ref={confirm}
              type="button"
              class="button"
              onClick={() => {
                page.show('none');
                page.run('compress');
              }}
            >
              {text('compress')}
            </button>
          </div>
        </>
      ) : (
        <p class="meta">{text('working')}</p>
      )}
    </section>
  );
}
