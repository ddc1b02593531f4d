import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { MessageView } from '../../protocol/views.ts';
import { usePage, useSignal } from '../page-context.ts';
import type { Signal } from '../page.ts';
import { Row } from '../parts/row.tsx';
import { Icon } from '../parts/icon-button.tsx';
import { Minimap } from '../parts/minimap.tsx';
import { coverAt, PAGE, type OpenSession } from '../state.ts';
import { text } from '../texts.ts';
import { FeedKeys } from './feed-keys.ts';
import { Viewport, type Range } from './viewport.ts';

/** A guess at the height of a message that was never drawn, in px: its lines at 60 characters and 20 px each. */
function guessHeight(message: MessageView | undefined): number {
  if (!message) return 140;
  let length = 0;
  for (const part of message.parts) if (part.type === 'text') length += part.text.length;
  return Math.min(4_000, 76 + Math.ceil(length / 60) * 20);
}

/** The transcript. Only the rows near the view are on the page; messages are loaded when their rows come near. */
export function TranscriptList({ session }: { readonly session: OpenSession }) {
  const page = usePage();
  const scroller = useRef<HTMLDivElement>(null);
  const spacer = useRef<HTMLDivElement>(null);
  const rows = useRef<HTMLDivElement>(null);
  const viewport = useRef<Viewport>(undefined);
  const end = useRef<HTMLDivElement>(null);
  const keys = useRef<FeedKeys>(undefined);
  const asked = useRef(new Set<number>());
  const sought = useRef<number>(undefined);
  const [range, setRange] = useState<Range>({ from: 0, to: -1 });
  const [atEnd, setAtEnd] = useState(true);
  const [marked, setMarked] = useState<number>();
  const { transcript } = session;

  useLayoutEffect(() => {
    const view = new Viewport(scroller.current!, spacer.current!, rows.current!, setRange);
    viewport.current = view;
    keys.current = new FeedKeys(scroller.current!, end.current!);
    const place = page.savedFor(session.id)?.place;
    const { transcript: now } = page.session ?? session;
    view.update(now.total, (row) => guessHeight(now.at(row)), { from: 0, to: -1 });
    if (place) view.reveal(place.position, -place.offset);
    setAtEnd(view.following);
    return () => view.dispose();
    // A new list for each session; what the first state was matters only here.
  }, [session.id]);

  useLayoutEffect(() => {
    viewport.current?.update(transcript.total, (row) => guessHeight(transcript.at(row)), range);
  }, [transcript, range]);

  useLayoutEffect(() => viewport.current?.measure());

  useEffect(() => {
    for (const from of transcript.missing(range.from, range.to)) {
      if (asked.current.has(from)) continue;
      asked.current.add(from);
      void page.load(from, PAGE, (range.from + range.to) / 2).finally(() => asked.current.delete(from));
    }
  }, [transcript, range]);

  const scrolled = useCallback(() => {
    const view = viewport.current;
    if (!view) return;
    view.scrolled();
    setAtEnd(view.following);
    const { row, offset } = view.place;
    page.save({ place: view.following ? null : { position: row, offset } });
  }, []);

  const reveal = useCallback((position: number) => {
    viewport.current?.reveal(position, 48);
    setMarked(position);
    setTimeout(() => setMarked((now) => (now === position ? undefined : now)), 2_500);
  }, []);

  // What the reader asked to be taken to takes the keyboard too, once it is on the page: not the place that is held for
  // it until it is loaded, which is taken off again.
  useEffect(() => {
    if (sought.current === undefined || !document.hasFocus()) return;
    const row = rows.current?.querySelector<HTMLElement>(`[data-row="${sought.current}"] > [data-message]`);
    if (!row) return;
    sought.current = undefined;
    row.focus({ preventScroll: true });
  }, [marked, range, transcript]);

  const toEnd = useCallback(() => {
    viewport.current?.toEnd();
    setAtEnd(true);
  }, []);

  useSignal(
    useCallback((signal: Signal) => {
      if (signal.type === 'reveal') {
        sought.current = signal.stay === true ? undefined : signal.position;
        reveal(signal.position);
      } else if (signal.type === 'focus' && signal.target === 'latest') toEnd();
    }, []),
  );

  const compressionsAfter = useMemo(
    () => Map.groupBy(session.compressions, (each) => each.after),
    [session.compressions],
  );

  const drawn = [];
  for (let row = Math.max(0, range.from); row <= range.to && row < transcript.total; row++) {
    const message = transcript.at(row);
    drawn.push(
      <Row
        key={message?.id ?? `row-${row}`}
        row={row}
        total={transcript.total}
        message={message}
        previousAt={transcript.at(row - 1)?.at}
        nextRole={transcript.at(row + 1)?.role}
        cover={coverAt(session.covers, row)}
        first={row === 0 ? compressionsAfter.get(-1) : undefined}
        compressions={compressionsAfter.get(row)}
        marked={marked === row}
        busy={session.status.replying}
        observe={(element) => viewport.current?.observe(element) ?? (() => undefined)}
      />,
    );
  }
  return (
    <div class="transcript-frame">
      <div class="transcript-column">
        <div
          class="transcript"
          ref={scroller}
          onScroll={scrolled}
          onKeyDown={(event) => keys.current?.keyDown(event)}
          role="feed"
          aria-label={text('Messages')}
          aria-busy={session.status.replying}
          tabIndex={0}
        >
          <div class="spacer" ref={spacer} role="presentation">
            <div class="rows" ref={rows} role="presentation">
              {drawn}
            </div>
          </div>
        </div>
        <div ref={end} class="off-screen" tabIndex={0} onFocus={() => keys.current?.endFocused()} />
        {!atEnd && (
          <button type="button" class="to-latest" onClick={toEnd}>
            <Icon name="arrow-down" />
            <span>{text('Jump to Latest')}</span>
          </button>
        )}
      </div>
      {transcript.total > 20 && <Minimap session={session} viewport={viewport} scroller={scroller} reveal={reveal} />}
    </div>
  );
}
