import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { LiveReply } from '../state.ts';
import { MarkdownBody } from '../markdown/body.ts';
import { formatCount } from '../format.ts';
import { text } from '../texts.ts';

/** Longer texts are shown up to here until all of it is asked for. */
const FOLD_AFTER = 30_000;
const FOLD_TO = 12_000;
/** An arriving reply is drawn at most this often, in ms, and never for more than a fifth of the time. */
const DRAW_EVERY = 40;
/** On a machine that is busy with other things a reply still moves. */
const DRAW_AT_LEAST_EVERY = 400;

/** Markdown that is whole, or grows with `live`. What is drawn stays when it ends. */
export function Markdown(props: {
  readonly source: string;
  readonly live?: LiveReply | undefined;
  readonly breaks?: boolean;
}) {
  const host = useRef<HTMLDivElement>(null);
  const body = useRef<MarkdownBody>(undefined);
  const wasLive = useRef(false);
  const [unfolded, setUnfolded] = useState(false);
  if (props.live) wasLive.current = true;
  const folded = !unfolded && !wasLive.current && props.source.length > FOLD_AFTER;

  useLayoutEffect(() => {
    body.current ??= new MarkdownBody(host.current!, props.breaks ?? false);
    if (props.live) return followReply(props.live, body.current);
    body.current.update(folded ? foldedText(props.source) : props.source, true);
    return undefined;
  }, [props.source, props.live, folded]);

  return (
    <>
      <div class="markdown" ref={host} />
      {folded && (
        <button type="button" class="text-button" onClick={() => setUnfolded(true)}>
          {text('Show All ({0} characters)', formatCount(props.source.length))}
        </button>
      )}
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
  const [unfolded, setUnfolded] = useState(false);
  const host = useRef<HTMLPreElement>(null);
  const folded = !unfolded && source.length > FOLD_TO;
  useEffect(() => {
    if (host.current) host.current.textContent = folded ? foldedText(source) : source;
  }, [source, folded]);
  return (
    <>
      <pre class="plain" ref={host} tabIndex={0} aria-label={label} role="region" />
      {folded && (
        <button type="button" class="text-button" onClick={() => setUnfolded(true)}>
          {text('Show All ({0} characters)', formatCount(source.length))}
        </button>
      )}
    </>
  );
}

function foldedText(source: string): string {
  const end = source.lastIndexOf('\n', FOLD_TO);
  return source.slice(0, end > FOLD_TO / 2 ? end : FOLD_TO);
}
