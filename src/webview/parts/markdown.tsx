import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { formatCount } from '../format.ts';
import { MarkdownBody } from '../markdown/body.ts';
import type { LiveReply } from '../state.ts';
import { text } from '../texts.ts';
import { Button } from './elements.tsx';

/** Longer texts are truncated until the user expands them. */
const FOLD_AFTER = 30_000;
const FOLD_TO = 12_000;
/** Minimum interval between renderings of a streaming reply, in ms; they also take at most a fifth of the time. */
const DRAW_EVERY = 40;
/** Maximum interval on a busy machine. */
const DRAW_AT_LEAST_EVERY = 400;

/** The shown part of a text longer than `limit`, and the button to expand it. */
function useFolded(source: string, limit: number) {
  const [unfolded, setUnfolded] = useState(false);
  if (unfolded || source.length <= limit) return { shown: source, more: null };
  const end = source.lastIndexOf('\n', FOLD_TO);
  const more = (
    <Button onClick={() => setUnfolded(true)}>{text('Show All ({0} characters)', formatCount(source.length))}</Button>
  );
  return { shown: source.slice(0, end > FOLD_TO / 2 ? end : FOLD_TO), more };
}

/** Complete Markdown, or streaming Markdown with `live`. The rendered content stays when the stream ends. */
export function Markdown(props: {
  readonly source: string;
  readonly live?: LiveReply | undefined;
  readonly breaks?: boolean;
}) {
  const { source, live, breaks = false } = props;
  const host = useRef<HTMLDivElement>(null);
  const body = useRef<MarkdownBody>(undefined);
  const wasLive = useRef(false);
  wasLive.current ||= live !== undefined;
  const { shown, more } = useFolded(source, wasLive.current ? Infinity : FOLD_AFTER);
  useLayoutEffect(() => {
    body.current ??= new MarkdownBody(host.current!, breaks);
    if (live) return followReply(live, body.current);
    body.current.update(shown, true);
    return undefined;
  }, [shown, live]);
  return (
    <>
      <div class="markdown" ref={host} />
      {more}
    </>
  );
}

function followReply(live: LiveReply, body: MarkdownBody): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let pause = 0;
  const draw = () => {
    timer = undefined;
    const start = performance.now();
    body.update(live.text, false);
    const changed = performance.now() - start;
    pause = Math.max(DRAW_EVERY, 4 * changed);
    // Styles, layout, and paint, which take most of the time, happen in the next frame.
    requestAnimationFrame(() => {
      const frame = performance.now();
      setTimeout(() => {
        pause = Math.min(DRAW_AT_LEAST_EVERY, Math.max(pause, 4 * (changed + performance.now() - frame)));
      });
    });
  };
  draw();
  const unlisten = live.onChange(() => {
    timer ??= setTimeout(draw, pause);
  });
  return () => {
    unlisten();
    clearTimeout(timer);
  };
}

/** Plain text; long text is truncated until expanded. */
export function PlainText({ source, label }: { readonly source: string; readonly label: string }) {
  const host = useRef<HTMLPreElement>(null);
  const { shown, more } = useFolded(source, FOLD_TO);
  useEffect(() => {
    host.current!.textContent = shown;
  }, [shown]);
  return (
    <>
      <pre class="plain" ref={host} tabIndex={0} aria-label={label} role="region" />
      {more}
    </>
  );
}
