import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { MessageView } from '../../protocol/views.ts';
import { usePage } from '../page-context.ts';
import { Icon } from '../parts/elements.tsx';
import { Minimap } from '../parts/minimap.tsx';
import { Row } from '../parts/transcript-row.tsx';
import { coverAt, PAGE, type OpenSession } from '../state.ts';
import { text } from '../texts.ts';
import { FeedKeys } from './feed-keys.ts';
import { Viewport, type Range } from './viewport.ts';

/** How long a revealed message stays highlighted, in ms. */
const MARKED_FOR = 2_500;
/** Distance of a revealed message from the top of the view, in px. */
const ABOVE = 48;

/** Estimates the height of a message that was never rendered, in px: lines of 60 characters with 20 px. */
function guessHeight(message: MessageView | undefined): number {
  if (!message) return 140;
  const length = message.parts.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), 0);
  return Math.min(4_000, 76 + Math.ceil(length / 60) * 20);
}

/** The transcript. Only rows near the viewport are rendered, and messages are loaded when their rows come near. */
export function TranscriptList({ session }: { readonly session: OpenSession }) {
  const page = usePage();
  const scroller = useRef<HTMLDivElement>(null);
  const spacer = useRef<HTMLDivElement>(null);
  const rows = useRef<HTMLDivElement>(null);
  const end = useRef<HTMLDivElement>(null);
  const viewport = useRef<Viewport>(undefined);
  const keys = useRef<FeedKeys>(undefined);
  const asked = useRef(new Set<number>());
  const sought = useRef<number>(undefined);
  const [range, setRange] = useState<Range>({ from: 0, to: -1 });
  const [atEnd, setAtEnd] = useState(true);
  const [revealed, setRevealed] = useState<number>();
  const { transcript } = session;

  const reveal = (position: number): void => {
    viewport.current?.reveal(position, ABOVE);
    setRevealed(position);
    setTimeout(() => setRevealed((now) => (now === position ? undefined : now)), MARKED_FOR);
  };
  const toEnd = (): void => {
    viewport.current?.toEnd();
    setAtEnd(true);
  };

  useLayoutEffect(() => {
    const view = new Viewport(scroller.current!, spacer.current!, rows.current!, setRange);
    viewport.current = view;
    keys.current = new FeedKeys(scroller.current!, end.current!);
    view.update(transcript.total, (row) => guessHeight(transcript.at(row)), range);
    const place = page.savedFor(session.id)?.place;
    if (place) view.reveal(place.position, -place.offset);
    setAtEnd(view.following);
    page.list = {
      reveal: (position, stay) => {
        sought.current = stay === true ? undefined : position;
        reveal(position);
      },
      toEnd,
    };
    return () => view.dispose();
  }, []);

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

  const scrolled = (): void => {
    const view = viewport.current;
    if (!view) return;
    view.scrolled();
    setAtEnd(view.following);
    const { row, offset } = view.place;
    page.save({ place: view.following ? null : { position: row, offset } });
  };

  // A revealed message gets the focus once it's rendered, but not the placeholder before it's loaded, which is removed
  // again.
  useEffect(() => {
    if (sought.current === undefined || !document.hasFocus()) return;
    const row = rows.current?.querySelector<HTMLElement>(`[data-row="${sought.current}"] > [data-message]`);
    if (!row) return;
    sought.current = undefined;
    row.focus({ preventScroll: true });
  }, [revealed, range, transcript]);

  const compressionsByRow = useMemo(
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
        compressionsBefore={row === 0 ? compressionsByRow.get(-1) : undefined}
        compressionsAfter={compressionsByRow.get(row)}
        isRevealed={revealed === row}
        busy={session.status.replying}
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
          <button type="button" class="to-latest line" onClick={toEnd}>
            <Icon name="arrow-down" />
            <span>{text('Jump to Latest')}</span>
          </button>
        )}
      </div>
      {transcript.total > 20 && <Minimap session={session} viewport={viewport} scroller={scroller} reveal={reveal} />}
    </div>
  );
}
