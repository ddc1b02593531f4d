import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { PreviewView } from '../../protocol/views.ts';
import { formatCost, formatCount, formatCounted } from '../format.ts';
import { page } from '../page-instance.ts';
import { text } from '../texts.ts';
import { Button } from './elements.tsx';
import { KeyEventList } from './key-events.tsx';

export function PreviewPanel() {
  const [preview, setPreview] = useState<PreviewView>();
  const buttons = useRef<HTMLDivElement>(null);
  // Use layout effects, because others run after the next keys may have been pressed.
  useLayoutEffect(() => {
    let isOpen = true;
    void page.request('previewCompression', {}).then((answer) => {
      if (answer) setPreview(answer);
      else if (isOpen) page.showPanel('none');
    });
    return () => {
      isOpen = false;
    };
  }, []);
  // Focus the button without scrolling, so that the beginning of the panel stays visible. Otherwise, leave the focus to
  // VS Code, which would close a list that the user has opened meanwhile.
  useLayoutEffect(() => {
    const button = buttons.current?.querySelector<HTMLElement>('button:last-child');
    if (document.hasFocus()) button?.focus({ preventScroll: true });
  }, [preview]);
  const compress = () => {
    page.closePanel();
    page.runCommand('compressHistory', 'now');
  };
  return (
    <section class="panel preview" aria-label={text('Compress now?')}>
      <h2>{text('Compress now?')}</h2>
      {preview ? (
        <>
          <p>{preview.emptyText ?? outcomeText(preview)}</p>
          {preview.emptyText === null && <PreviewEvents preview={preview} />}
          <div class="row-of-buttons" ref={buttons}>
            <Button look="button secondary" onClick={() => page.closePanel()}>
              {text(preview.emptyText === null ? 'Cancel' : 'Close')}
            </Button>
            {preview.emptyText === null && page.readOnly === undefined && (
              <Button look="button" onClick={compress}>
                {text('Compress')}
              </Button>
            )}
          </div>
        </>
      ) : (
        <p class="meta">{text('Calculating…')}</p>
      )}
    </section>
  );
}

function outcomeText({ messages, tokens, model, estimatedCostUsd: cost }: PreviewView): string {
  const effect = formatCounted(
    messages,
    'Compresses 1 message. Context: {1} → about {2} tokens.',
    'Compresses {0} messages. Context: {1} → about {2} tokens.',
    formatCount(tokens.before),
    formatCount(tokens.after),
  );
  if (cost === null) return `${effect} ${text('Unknown cost: no pricing information for {0}.', model)}`;
  return `${effect} ${cost === 0 ? text('No cost.') : text('Cost: up to about {0}.', formatCost(cost))}`;
}

/** The key events. They scroll separately, so that the question and the buttons stay visible. */
function PreviewEvents({ preview: { kept, dropped } }: { readonly preview: PreviewView }) {
  if (kept.length === 0 && dropped.length === 0) return null;
  return (
    <div class="preview-events" tabIndex={0} role="group" aria-label={text('Key events')}>
      {kept.length > 0 && (
        <>
          <h3>{text('Kept verbatim ({0})', kept.length)}</h3>
          <KeyEventList events={kept} readOnly />
        </>
      )}
      {dropped.length > 0 && (
        <>
          <h3>{text('Not kept verbatim ({0})', dropped.length)}</h3>
          <ul class="meta">
            {dropped.map((each, index) => (
              <li key={index} class="cut">
                {each}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
