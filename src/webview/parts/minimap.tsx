import { useEffect, useRef, useState } from 'preact/hooks';
import type { RefObject } from 'preact';
import type { OutlineView } from '../../protocol/views.ts';
import type { Viewport } from '../list/viewport.ts';
import { formatCount } from '../format.ts';
import { usePage } from '../page-context.ts';
import type { OpenSession } from '../state.ts';
import { text } from '../texts.ts';

/** Height of a bucket, in px. */
const LINE = 3;
/** Key presses that it takes to traverse the session. */
const ARROW_STEPS = 50;
const PAGE_STEPS = 10;

/**
 * An overview of the whole session: message sizes, key events, compressions, and the visible part.
 * A click scrolls there. For the keyboard and screen readers it's a slider.
 */
export function Minimap(props: {
  readonly session: OpenSession;
  readonly viewport: RefObject<Viewport | undefined>;
  readonly scroller: RefObject<HTMLElement | null>;
  readonly reveal: (position: number) => void;
}) {
  const page = usePage();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [outline, setOutline] = useState<OutlineView>();
  const [height, setHeight] = useState(0);
  const { session } = props;
  const { total } = session.transcript;

  useEffect(() => {
    const observer = new ResizeObserver(() => setHeight(canvas.current?.clientHeight ?? 0));
    observer.observe(canvas.current!);
    return () => observer.disconnect();
  }, []);

  useEffect(() => {
    if (height === 0) return;
    let current = true;
    const buckets = Math.max(1, Math.floor(height / LINE));
    void page.ask('outline', { session: session.id, buckets }).then((answer) => {
      if (current && answer) setOutline(answer);
    });
    return () => {
      current = false;
    };
  }, [height, total, session.id, session.compressions]);

  const position = () => Math.min(props.viewport.current?.place.row ?? 0, total - 1);

  useEffect(() => {
    const draw = () => {
      if (!canvas.current) return;
      canvas.current.ariaValueNow = String(position() + 1);
      canvas.current.ariaValueText = text('Message {0}', formatCount(position() + 1));
      if (outline) drawMap(canvas.current, outline, session, props.viewport.current);
    };
    draw();
    const scroller = props.scroller.current;
    scroller?.addEventListener('scroll', draw, { passive: true });
    // A canvas doesn't follow CSS variables, so redraw when VS Code changes the theme (body) or its colors (root).
    const theme = new MutationObserver(draw);
    theme.observe(document.body, { attributes: true, attributeFilter: ['class', 'data-vscode-theme-id'] });
    theme.observe(document.documentElement, { attributes: true, attributeFilter: ['style'] });
    return () => {
      scroller?.removeEventListener('scroll', draw);
      theme.disconnect();
    };
  }, [outline, height, total, session.compressions, session.covers]);

  const keyDown = (event: KeyboardEvent) => {
    const to = stepTo(event.key, position(), total);
    if (to === undefined) return;
    event.preventDefault();
    props.reveal(Math.max(0, Math.min(to, total - 1)));
  };

  return (
    <canvas
      ref={canvas}
      class="minimap"
      role="slider"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={text('Session overview')}
      aria-valuemin={1}
      aria-valuemax={total}
      title={text('Session overview')}
      onKeyDown={keyDown}
      onPointerDown={(event) => {
        const share = event.offsetY / Math.max(1, event.currentTarget.clientHeight);
        props.reveal(Math.min(total - 1, Math.floor(share * total)));
      }}
    />
  );
}

/** The target position of a key; undefined for other keys. */
function stepTo(key: string, position: number, total: number): number | undefined {
  const arrow = Math.ceil(total / ARROW_STEPS);
  const page = Math.ceil(total / PAGE_STEPS);
  switch (key) {
    case 'ArrowUp':
      return position - arrow;
    case 'ArrowDown':
      return position + arrow;
    case 'PageUp':
      return position - page;
    case 'PageDown':
      return position + page;
    case 'Home':
      return 0;
    case 'End':
      return total - 1;
    default:
      return undefined;
  }
}

function drawMap(canvas: HTMLCanvasElement, outline: OutlineView, session: OpenSession, viewport?: Viewport): void {
  const context = canvas.getContext('2d');
  if (!context) return;
  const { clientWidth: width, clientHeight: height } = canvas;
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  context.scale(ratio, ratio);
  context.clearRect(0, 0, width, height);
  const style = getComputedStyle(canvas);
  const color = (name: string) => style.getPropertyValue(`--map-${name}`).trim() || style.color;
  const largest = Math.max(1, ...outline.buckets.map((bucket) => bucket.tokens));
  const yOf = (position: number) => (position / Math.max(1, outline.total)) * height;
  for (const bucket of outline.buckets) {
    const y = yOf(bucket.from);
    const tall = Math.max(1, yOf(bucket.to + 1) - y - (height > outline.buckets.length * 2 ? 1 : 0));
    context.fillStyle = color(bucket.users > 0 ? 'user' : 'reply');
    // The square root keeps one huge paste from flattening everything else.
    context.fillRect(2, y, Math.max(2, (width - 8) * Math.sqrt(bucket.tokens / largest)), tall);
    if (bucket.keyEvents > 0) {
      context.fillStyle = color('event');
      context.fillRect(width - 4, y, 3, Math.max(2, tall));
    }
  }
  context.fillStyle = color('compression');
  for (const { after, undone } of session.compressions) if (!undone) context.fillRect(0, yOf(after + 1) - 1, width, 2);
  if (!viewport) return;
  const { top, bottom } = viewport.view;
  context.fillStyle = color('view');
  context.fillRect(0, top * height, width, Math.max(4, (bottom - top) * height));
}
