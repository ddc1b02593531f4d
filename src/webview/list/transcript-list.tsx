import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { MessageView } from '../../protocol/views.ts';
import { showExcerpt, type SoughtExcerpt } from '../find.ts';
import { startOfDay } from '../format.ts';
import { page } from '../page-instance.ts';
import { Icon } from '../parts/elements.tsx';
import { Minimap } from '../parts/minimap.tsx';
import { TranscriptRow } from '../parts/transcript-row.tsx';
import { searchedText, summaryRangeAt, PAGE_SIZE, textLength, type OpenSession } from '../state.ts';
import { text } from '../texts.ts';
import { TranscriptNavigation } from './transcript-navigation.ts';
import { Viewport, type RowRange } from './viewport.ts';

/** How long a revealed message stays highlighted, in ms. */
const HIGHLIGHT_DURATION_MS = 2_500;
/** Distance of a revealed message from the top of the view, in px. */
const REVEAL_MARGIN = 48;

/** Estimates the height of a message in px: 20 px for every 60 characters, plus its header. */
function estimateHeight(message: MessageView | undefined): number {
  if (!message) return 140;
  return Math.min(4_000, 76 + Math.ceil(textLength(message) / 60) * 20);
}

/** The transcript. Only rows near the viewport are rendered, and their messages are loaded on demand. */
export function TranscriptList({ session }: { readonly session: OpenSession }) {
  const scroller = useRef<HTMLDivElement>(null);
  const spacer = useRef<HTMLDivElement>(null);
  const rows = useRef<HTMLDivElement>(null);
  const end = useRef<HTMLDivElement>(null);
  const viewport = useRef<Viewport>(undefined);
  const navigation = useRef<TranscriptNavigation>(undefined);
  /** The pages being loaded, by epoch and first row, because the answers of an earlier epoch are discarded. */
  const requested = useRef(new Set<string>());
  const awaitingFocus = useRef<number>(undefined);
  const awaitingExcerpt = useRef<SoughtExcerpt & { readonly position: number }>(undefined);
  const [range, setRange] = useState<RowRange>({ from: 0, to: -1 });
  const [isAtEnd, setIsAtEnd] = useState(true);
  const [revealed, setRevealed] = useState<number>();
  const { transcript } = session;

  const reveal = (position: number): void => {
    viewport.current?.reveal(position, REVEAL_MARGIN);
    setRevealed(position);
    setTimeout(() => setRevealed((now) => (now === position ? undefined : now)), HIGHLIGHT_DURATION_MS);
  };
  const scrollToEnd = (): void => {
    viewport.current?.scrollToEnd();
    setIsAtEnd(true);
  };

  useLayoutEffect(() => {
    const view = new Viewport(scroller.current!, spacer.current!, rows.current!, setRange);
    viewport.current = view;
    navigation.current = new TranscriptNavigation(scroller.current!, end.current!);
    view.update(transcript.total, (row) => estimateHeight(transcript.at(row)));
    const place = page.savedStateOf(session.id)?.place;
    if (place) view.reveal(place.position, -place.offset);
    setIsAtEnd(view.isFollowing);
    page.list = {
      reveal: (position, { keepFocus, sought } = {}) => {
        awaitingFocus.current = keepFocus ? undefined : position;
        awaitingExcerpt.current = sought && { ...sought, position };
        reveal(position);
      },
      scrollToEnd,
      readScroll: () => view.readScroll(),
      keepFollowing: () => view.keepFollowing(),
    };
    const pending = page.takePendingReveal(session.id);
    if (pending !== undefined) page.list.reveal(pending);
    return () => view.dispose();
  }, []);

  useLayoutEffect(() => viewport.current?.update(transcript.total, (row) => estimateHeight(transcript.at(row))));

  useEffect(() => {
    for (const from of transcript.missingPages(range.from, range.to)) {
      const key = `${session.epoch}:${from}`;
      if (requested.current.has(key)) continue;
      requested.current.add(key);
      void page.loadMessages(from, PAGE_SIZE, (range.from + range.to) / 2).finally(() => requested.current.delete(key));
    }
  }, [transcript, range]);

  const handleScroll = (): void => {
    const view = viewport.current;
    if (!view) return;
    view.handleScroll();
    setIsAtEnd(view.isFollowing);
    const { row, offset } = view.anchor;
    page.save({ place: view.isFollowing ? null : { position: row, offset } });
  };

  // Focus a revealed message once it's rendered. Its placeholder doesn't get the focus, because it will be removed.
  useLayoutEffect(() => {
    if (awaitingFocus.current === undefined || !document.hasFocus()) return;
    const row = rows.current?.querySelector<HTMLElement>(`[data-row="${awaitingFocus.current}"] > [data-message]`);
    if (!row) return;
    awaitingFocus.current = undefined;
    row.focus({ preventScroll: true });
  }, [revealed, range, transcript]);

  // Show the excerpt for which a message was revealed, also if that message was the last one to be revealed.
  useLayoutEffect(() => {
    const { current: sought } = awaitingExcerpt;
    const message = sought && transcript.at(sought.position);
    const row = message && rows.current?.querySelector(`[data-row="${sought.position}"]`);
    if (!row) return;
    awaitingExcerpt.current = undefined;
    const body = row.querySelector('.message-body');
    if (body) showExcerpt(body, searchedText(message), sought);
  });

  const compressionsByRow = useMemo(
    () => Map.groupBy(session.compressions, (each) => each.after),
    [session.compressions],
  );

  const today = startOfDay(Date.now());
  const renderedRows = [];
  for (let row = Math.max(0, range.from); row <= range.to && row < transcript.total; row++) {
    const message = transcript.at(row);
    renderedRows.push(
      <TranscriptRow
        key={message?.id ?? `row-${row}`}
        row={row}
        total={transcript.total}
        today={today}
        message={message}
        previousAt={transcript.at(row - 1)?.at}
        nextRole={transcript.at(row + 1)?.role}
        summaryRange={summaryRangeAt(session.summaryRanges, row)}
        compressionsBefore={row === 0 ? compressionsByRow.get(-1) : undefined}
        compressionsAfter={compressionsByRow.get(row)}
        isRevealed={revealed === row}
        isReplying={page.isReplying}
        readOnly={page.readOnly}
      />,
    );
  }
  return (
    <div class="transcript-frame">
      <div class="transcript-column">
        <div
          class="transcript"
          ref={scroller}
          onScroll={handleScroll}
          onKeyDown={(event) => navigation.current?.handleKeyDown(event)}
          role="feed"
          aria-label={text('Messages')}
          aria-busy={session.status.replying}
          tabIndex={0}
        >
          <div class="spacer" ref={spacer} role="presentation">
            <div class="rows" ref={rows} role="presentation">
              {renderedRows}
            </div>
          </div>
        </div>
        <div ref={end} class="off-screen" tabIndex={0} onFocus={() => navigation.current?.handleEndFocus()} />
        {!isAtEnd && (
          <button type="button" class="to-latest line" onClick={scrollToEnd}>
            <Icon name="arrow-down" />
            <span>{text('Jump to Latest')}</span>
          </button>
        )}
      </div>
      {transcript.total > 20 && <Minimap session={session} viewport={viewport} scroller={scroller} reveal={reveal} />}
    </div>
  );
}
