import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { formatCount } from '../format.ts';
import { MarkdownBody } from '../markdown/body.ts';
import type { LiveReply } from '../state.ts';
import { text } from '../texts.ts';
import { Button } from './elements.tsx';

/** Longer texts are shown up to here until all of it is asked for. */
const FOLD_AFTER = 30_000;
const FOLD_TO = 12_000;
/** An arriving reply is drawn at most this often, in ms, and never for more than a fifth of the time. */
const DRAW_EVERY = 40;
/** On a machine that is busy with other things a reply still moves. */
const DRAW_AT_LEAST_EVERY = 400;

/** What is shown of a text that is longer than `limit`, and the button that shows all of it. */
function useFolded(source: string, limit: number) {
  const [unfolded, setUnfolded] = useState(false);
  if (unfolded || source.length <= limit) return { shown: source, more: null };
  const end = source.lastIndexOf('\n', FOLD_TO);
  const more = (
    <Button onClick={() => setUnfolded(true)}>{text('Show All ({0} characters)', formatCount(source.length))}</Button>
  );
  return { shown: source.slice(0, end > FOLD_TO / 2 ? end : FOLD_TO), more };
}

/** Markdown that is whole, or grows with `live`. What is drawn stays when it ends. */
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
    // The larger part of the work, styles, layout and paint, comes with the next frame.
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

/** Text as it is, with what is long folded away. */
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
