import type { RefObject } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { OutlineView } from '../../protocol/views.ts';
import { formatCount } from '../format.ts';
import type { Viewport } from '../list/viewport.ts';
import { page } from '../page-instance.ts';
import type { OpenSession } from '../state.ts';
import { text } from '../texts.ts';

/** Height of a bucket, in px. A bucket is a range of messages. */
const BUCKET_HEIGHT = 3;
const WIDTH = 28;
/** Width of the largest bucket, in px. */
const MAX_BUCKET_WIDTH = 20;

/** The whole session: sizes, key events, compressions, and the view. A slider for keyboard and screen readers. */
export function Minimap(props: {
  readonly session: OpenSession;
  readonly viewport: RefObject<Viewport | undefined>;
  readonly scroller: RefObject<HTMLElement | null>;
  readonly reveal: (position: number) => void;
}) {
  const map = useRef<SVGSVGElement>(null);
  const [outline, setOutline] = useState<OutlineView>();
  const [height, setHeight] = useState(0);
  const [, setScrolled] = useState(0);
  const { session, reveal } = props;
  const { total } = session.transcript;

  useEffect(() => {
    const observer = new ResizeObserver(() => setHeight(map.current?.clientHeight ?? 0));
    observer.observe(map.current!);
    const scroller = props.scroller.current!;
    const scrolled = (): void => setScrolled(scroller.scrollTop);
    scroller.addEventListener('scroll', scrolled, { passive: true });
    return () => {
      observer.disconnect();
      scroller.removeEventListener('scroll', scrolled);
    };
  }, []);

  useEffect(() => {
    if (height === 0) return undefined;
    let isCurrent = true;
    const buckets = Math.max(1, Math.floor(height / BUCKET_HEIGHT));
    void page.request('outline', { buckets }).then((answer) => {
      if (isCurrent && answer) setOutline(answer);
    });
    return () => {
      isCurrent = false;
    };
  }, [height, total, session.id, session.epoch, session.compressions]);

  const drawing = useMemo(() => outline && <Drawing outline={outline} session={session} />, [outline, session]);
  const position = Math.max(0, Math.min(props.viewport.current?.anchor.row ?? 0, total - 1));
  const { top, bottom } = props.viewport.current?.view ?? { top: 0, bottom: 0 };
  const keyDown = (event: KeyboardEvent): void => {
    const [arrowStep, pageStep] = [Math.ceil(total / 50), Math.ceil(total / 10)];
    const steps = {
      ArrowUp: -arrowStep,
      ArrowDown: arrowStep,
      PageUp: -pageStep,
      PageDown: pageStep,
      Home: -total,
      End: total,
    };
    const step = new Map(Object.entries(steps)).get(event.key);
    if (step === undefined) return;
    event.preventDefault();
    reveal(Math.max(0, Math.min(position + step, total - 1)));
  };
  return (
    <svg
      ref={map}
      class="minimap"
      role="slider"
      // Not `tabIndex`, because Preact doesn't convert the names of SVG attributes.
      tabindex={0}
      viewBox={`0 0 ${WIDTH} 1`}
      preserveAspectRatio="none"
      aria-orientation="vertical"
      aria-label={text('Session overview')}
      aria-valuemin={1}
      aria-valuemax={total}
      aria-valuenow={position + 1}
      aria-valuetext={text('Message {0}', formatCount(position + 1))}
      onKeyDown={keyDown}
      onPointerDown={({ clientY, currentTarget }) => {
        const box = currentTarget.getBoundingClientRect();
        reveal(Math.min(total - 1, Math.floor(((clientY - box.top) / Math.max(1, box.height)) * total)));
      }}
    >
      <title>{text('Session overview')}</title>
      {drawing}
      <rect class="map-view" y={top} width={WIDTH} height={Math.max(4 / Math.max(1, height), bottom - top)} />
    </svg>
  );
}

/** The session as SVG elements. Its height is 1; its width is `WIDTH`. */
function Drawing({ outline, session }: { readonly outline: OutlineView; readonly session: OpenSession }) {
  const total = Math.max(1, outline.total);
  const largest = Math.max(1, ...outline.buckets.map((bucket) => bucket.tokens));
  return (
    <>
      {outline.buckets.map(({ from, to, tokens, users, keyEvents }) => {
        const bar = { y: from / total, height: (0.9 * (to - from + 1)) / total };
        // The square root keeps other buckets visible next to a very large one.
        const width = Math.max(2, MAX_BUCKET_WIDTH * Math.sqrt(tokens / largest));
        return (
          <g key={from}>
            <rect class={users > 0 ? 'map-user' : 'map-reply'} x={2} width={width} {...bar} />
            {keyEvents > 0 && <rect class="map-event" x={WIDTH - 4} width={3} {...bar} />}
          </g>
        );
      })}
      {session.compressions.map(({ id, after, undone }) => {
        const y = (after + 1) / total;
        return undone ? null : <line key={id} class="map-compression" x1={0} x2={WIDTH} y1={y} y2={y} />;
      })}
    </>
  );
}
