import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { formatCount, truncate } from '../format.ts';
import { IncrementalRenderer } from '../markdown/incremental-renderer.ts';
import type { LiveReply } from '../state.ts';
import { text } from '../texts.ts';
import { Button } from './elements.tsx';

/** Length above which Markdown is truncated until the user expands it, in characters. */
const TRUNCATE_ABOVE = 30_000;
/** Length to which texts are truncated, in characters. */
const TRUNCATED_LENGTH = 12_000;
/** Minimum pause between renderings of a streaming reply, in ms. After a slow one, it's four times its duration. */
const MIN_RENDER_INTERVAL_MS = 40;
/** Maximum pause between renderings, in ms, even if they take long. */
const MAX_RENDER_INTERVAL_MS = 400;

/** Truncates a text longer than `limit`. `more` is the button to expand it. */
function useTruncated(source: string, limit: number) {
  const [isExpanded, setIsExpanded] = useState(false);
  if (isExpanded || source.length <= limit) return { shown: source, more: null };
  const end = source.lastIndexOf('\n', TRUNCATED_LENGTH);
  const more = (
    <Button aria-expanded={false} onClick={() => setIsExpanded(true)}>
      {text('Show All ({0} characters)', formatCount(source.length))}
    </Button>
  );
  return { shown: truncate(source, end > TRUNCATED_LENGTH / 2 ? end : TRUNCATED_LENGTH), more };
}

/** Renders `source`, or the streaming reply `live`. The rendered content is kept when the stream ends. */
export function Markdown(props: {
  readonly source: string;
  readonly live?: LiveReply | undefined;
  readonly breaks?: boolean;
}) {
  const { source, live, breaks = false } = props;
  const host = useRef<HTMLDivElement>(null);
  const renderer = useRef<IncrementalRenderer>(undefined);
  const wasLive = useRef(false);
  wasLive.current ||= live !== undefined;
  const { shown, more } = useTruncated(source, wasLive.current ? Infinity : TRUNCATE_ABOVE);
  useLayoutEffect(() => {
    renderer.current ??= new IncrementalRenderer(host.current!, breaks);
    if (live) return followReply(live, renderer.current);
    renderer.current.update(shown, true);
    return undefined;
  }, [shown, live]);
  return (
    <>
      <div class={more ? 'markdown truncated' : 'markdown'} ref={host} />
      {more}
    </>
  );
}

function followReply(live: LiveReply, renderer: IncrementalRenderer): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let pause = 0;
  const render = () => {
    timer = undefined;
    const start = performance.now();
    renderer.update(live.text, false);
    const renderTime = performance.now() - start;
    pause = Math.max(MIN_RENDER_INTERVAL_MS, 4 * renderTime);
    // Measure the next frame as well, because styles, layout, and paint take most of the time.
    requestAnimationFrame(() => {
      const frameStart = performance.now();
      setTimeout(() => {
        pause = Math.min(MAX_RENDER_INTERVAL_MS, Math.max(pause, 4 * (renderTime + performance.now() - frameStart)));
      });
    });
  };
  render();
  live.onChange = () => {
    timer ??= setTimeout(render, pause);
  };
  return () => {
    live.onChange = () => undefined;
    clearTimeout(timer);
  };
}

/** Plain text. Long text is truncated until the user expands it. */
export function PlainText({ source, label }: { readonly source: string; readonly label: string }) {
  const { shown, more } = useTruncated(source, TRUNCATED_LENGTH);
  return (
    <>
      <pre class="plain" tabIndex={0} aria-label={label} role="region">
        {shown}
      </pre>
      {more}
    </>
  );
}
