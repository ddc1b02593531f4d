import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { truncate } from '../../core/text/truncate.ts';
import { eventsOnBranch } from '../../core/context/ledger-lines.ts';
import { firstIndexWhere } from '../../core/search/binary-search.ts';
import type { SessionState } from '../../core/state/session-state.ts';
import type { MessageCounts } from '../../core/tokens/message-counts.ts';
import { countText, locale, messagesText, tokensText } from '../platform/l10n.ts';

export const chartTitle = (): string => vscode.l10n.t('Context Chart');

/** Width of the chart in a file. */
const WIDTH = 960;
/** Widths of the charts in the page. It shows the one that is scaled the least, so that labels stay readable. */
export const PAGE_WIDTHS = [WIDTH, 480, 260] as const;
export type PageWidth = (typeof PAGE_WIDTHS)[number];
/** Below this width, the two labels at the bottom don't fit on one line in some languages. */
const MIN_ONE_LINE_WIDTH = 480;
const SECOND_LINE = 18;
const HEIGHT = 420;
const LEFT = 72;
/** Right margin, into which half of the last tick's label extends. */
const RIGHT = 32;
const TOP = 24;
const BOTTOM = 64;
/** Height of a label. If the budget line is this close to the top, its label is drawn below it. */
const LINE_HEIGHT = 14;
/** Maximum number of key event marks. If there are more, an even selection is drawn. */
const MAX_EVENTS = 600;

/**
 * The chart as SVG. Its colors are CSS classes, which a page sets from its theme; in a file, the SVG defines them for
 * light and dark.
 *
 * @param pageWidth the width in a page, one of `PAGE_WIDTHS`; undefined for a file
 */
export function chartSvg(series: ReturnType<typeof contextSeries>, budget: number, pageWidth?: PageWidth): string {
  const { points, marks, messages } = series;
  const width = pageWidth ?? WIDTH;
  const height = HEIGHT + (width < MIN_ONE_LINE_WIDTH ? SECOND_LINE : 0);
  const rows = ticksTo(Math.max(1, budget, ...points.map(({ tokens }) => tokens)), 5);
  const top = rows.at(-1)!;
  const right = width - RIGHT;
  const floor = HEIGHT - BOTTOM;
  const x = (at: number): string => (LEFT + (at / Math.max(1, messages)) * (right - LEFT)).toFixed(1);
  const y = (tokens: number): string => (TOP + (1 - tokens / top) * (floor - TOP)).toFixed(1);
  const budgetY = Number(y(budget));
  const label = (at: string | number, height: string | number, anchor: string, text: string, more = ''): string =>
    `<text class="label" x="${at}" y="${height}" text-anchor="${anchor}"${more}>${escape(text)}</text>`;
  const verticalLine = (kind: string, at: string | number, from: number, to: number, title = ''): string =>
    `<line class="${kind}" x1="${at}" x2="${at}" y1="${from}" y2="${to}">${titled(title)}</line>`;
  const horizontalLine = (kind: string, height: string): string =>
    `<line class="${kind}" x1="${LEFT}" x2="${right}" y1="${height}" y2="${height}"/>`;
  const line = points.map(({ at, tokens }, i) => `${i === 0 ? 'M' : 'L'}${x(at)} ${y(tokens)}`).join('');
  const of = (kind: SeriesMark['kind']): SeriesMark[] => marks.filter((mark) => mark.kind === kind);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" ${pageWidth ? `class="chart-${width}"` : `width="${width}" height="${height}"`} role="img" aria-labelledby="title-${width}">`,
    `<title id="title-${width}">${escape(chartTitle())}</title>`,
    ...(pageWidth ? [] : [`<style>${OWN_STYLE}</style><rect class="ground" width="${width}" height="${height}"/>`]),
    ...rows.map(
      (tokens) => horizontalLine('grid', y(tokens)) + label(LEFT - 8, y(tokens), 'end', countText(tokens), MIDDLE),
    ),
    // The last tick may be beyond the last message.
    ...ticksTo(messages, Math.ceil(width / TICK_DISTANCE))
      .filter((at) => at <= messages)
      .map((at) => label(x(at), floor + 34, 'middle', countText(at))),
    label(LEFT, 14, 'start', vscode.l10n.t('Tokens in context')),
    label(right, height - 8, 'end', vscode.l10n.t('Messages')),
    horizontalLine('budget', y(budget)),
    label(
      LEFT + 6,
      budgetY < TOP + LINE_HEIGHT ? budgetY + LINE_HEIGHT : budgetY - 5,
      'start',
      vscode.l10n.t('Budget'),
    ),
    verticalLine('event', LEFT, HEIGHT - 18, HEIGHT - 8) +
      label(LEFT + 6, HEIGHT - 8, 'start', vscode.l10n.t('Key events')),
    ...thinned(of('event'), MAX_EVENTS).map((mark) =>
      verticalLine('event', x(mark.at), floor + 4, floor + 14, mark.label),
    ),
    ...of('reset').map((mark) => verticalLine('reset', x(mark.at), TOP, floor, mark.label)),
    `<path class="area" d="${line}L${x(messages)} ${y(0)}L${x(0)} ${y(0)}Z"/><path class="line" d="${line}"/>`,
    ...thinned(points, MAX_SPOTS).map(({ at, tokens }) => {
      const title = titled(`${messagesText(at)} · ${tokensText(tokens)}`);
      return `<g class="spot"><circle cx="${x(at)}" cy="${y(tokens)}" r="3"/><rect x="${Number(x(at)) - SPOT / 2}" y="${TOP}" width="${SPOT}" height="${floor - TOP}">${title}</rect></g>`;
    }),
    ...of('compression').map(
      (mark) =>
        verticalLine('compression', x(mark.at), TOP, floor, mark.label) +
        `<circle class="knot" cx="${x(mark.at)}" cy="${y(mark.tokens ?? 0)}" r="5">${titled(mark.label)}</circle>`,
    ),
    '</svg>',
  ].join('\n');
}

/** The page with the chart in the theme's colors. It shows the SVG that fits, runs no scripts, and loads no files. */
export function chartPage(svg: string): string {
  const nonce = randomBytes(16).toString('base64');
  return `<!DOCTYPE html>
<html lang="${locale()}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'nonce-${nonce}'">
<title>${chartTitle()}</title>
<style nonce="${nonce}">
body{margin:0;padding:16px;color:var(--vscode-foreground);background:var(--vscode-editor-background)}
svg{display:block;width:100%;height:calc(100vh - 32px)}
svg:not(.chart-960){display:none}
@media(max-width:720px){.chart-960{display:none}svg.chart-480{display:block}}
@media(max-width:360px){body{padding:16px 4px}svg.chart-480{display:none}svg.chart-260{display:block}}
.label{font:12px var(--vscode-font-family);fill:var(--vscode-descriptionForeground)}
.grid{stroke:var(--vscode-charts-lines);stroke-opacity:.3}
.budget{stroke:var(--vscode-charts-red);stroke-dasharray:6 4}
.line{fill:none;stroke:var(--vscode-charts-blue);stroke-width:2}
.area{fill:var(--vscode-charts-blue);fill-opacity:.15}
.compression{stroke:var(--vscode-charts-purple);stroke-dasharray:2 3}
.spot circle{opacity:0;fill:var(--vscode-charts-blue)}.spot rect{fill:transparent}.spot:hover circle{opacity:1}
.knot{fill:var(--vscode-charts-purple)}
.event{stroke:var(--vscode-charts-orange)}
.reset{stroke:var(--vscode-charts-green);stroke-dasharray:8 3}
</style>
</head>
<body>${svg}</body>
</html>`;
}

/** Approximate distance between two tick labels, in the chart's units. */
const TICK_DISTANCE = 160;
const MIDDLE = ' dominant-baseline="middle"';
/** Maximum number of points with a tooltip. */
const MAX_SPOTS = 160;
/** Width of the area with a point's tooltip, in the chart's units. */
const SPOT = 6;

const titled = (text: string): string => (text === '' ? '' : `<title>${escape(text)}</title>`);

const OWN_STYLE = `
.spot circle{opacity:0}.spot rect{fill:transparent}.ground{fill:#fff}.label{font:12px sans-serif;fill:#555}.grid{stroke:#ddd}.budget{stroke:#c33;stroke-dasharray:6 4}
.line{fill:none;stroke:#06c;stroke-width:2}.area{fill:#06c;fill-opacity:.12}.compression{stroke:#888;stroke-dasharray:2 3}
.knot{fill:#888}.event{stroke:#b80}.reset{stroke:#393;stroke-dasharray:8 3}
@media(prefers-color-scheme:dark){.ground{fill:#1e1e1e}.label{fill:#bbb}.grid{stroke:#333}.line{stroke:#4af}.area{fill:#4af}}`;

/** At most `max` items, evenly selected. */
function thinned<Item>(items: readonly Item[], max: number): readonly Item[] {
  const step = Math.ceil(items.length / max);
  return step <= 1 ? items : items.filter((_, at) => at % step === 0);
}

/** About `count` round numbers from 0 to the first that is at least `value`. */
function ticksTo(value: number, count: number): number[] {
  const raw = Math.max(1, value / count);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = Math.max(
    1,
    power * ([1, 2, 2.5, 5, 10].find((one) => one * power >= raw && Number.isInteger(one * power)) ?? 10),
  );
  return Array.from({ length: Math.ceil(value / step) + 1 }, (_, n) => n * step);
}

/** Characters that XML doesn't allow even when escaped (XML 1.0, 2.2); terminal output has many of them. */
const NO_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/** Escapes text for SVG. Lone surrogates and characters that XML doesn't allow become replacement characters. */
const escape = (text: string): string =>
  text
    .toWellFormed()
    .replace(NO_XML, '\ufffd')
    .replace(/[&<>"]/g, (char) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[char] ?? char);

/** A mark on the chart, after `at` messages. */
export interface SeriesMark {
  readonly kind: 'compression' | 'event' | 'reset';
  readonly at: number;
  readonly label: string;
  /** The context's size after a compression. */
  readonly tokens?: number;
}

/** Approximate maximum number of points, besides those at compressions; more can't be distinguished. */
const MAX_POINTS = 400;

/**
 * The size of the context over the session. It grows with each message and falls with each compression that wasn't
 * undone.
 *
 * @param fixed tokens that are sent before the first message
 * @param redact redacts a text for a file
 */
export function contextSeries(
  state: SessionState,
  counts: MessageCounts,
  fixed: number,
  redact = (text: string): string => text,
) {
  const { path } = state;
  /** `at` is a number of messages of the active branch, `tokens` the size of the context. */
  const points = [{ at: 0, tokens: fixed }];
  const marks: SeriesMark[] = [];
  const step = Math.max(1, Math.ceil(path.length / MAX_POINTS));
  let tokens = fixed;
  let at = 0;
  const grow = (to: number): void => {
    for (; at < to; at++) {
      tokens += counts.totalOf(path[at]!, state.messages);
      if (at % step === 0 || at === to - 1) points.push({ at: at + 1, tokens });
    }
  };
  let covered = 0;
  for (const entry of state.compressions) {
    if (state.summaries.isCompressionUndone(entry.id)) continue;
    grow(Math.min(path.length, Math.max(at, covered + entry.messages.before)));
    covered += entry.messages.before - entry.messages.after;
    const { before, after } = entry.tokens;
    if (before > 0) points.push({ at, tokens: before });
    points.push({ at, tokens: after });
    tokens = after;
    const label = vscode.l10n.t('Compression: {0} → {1} tokens', countText(before), countText(after));
    marks.push({ kind: 'compression', at, label, tokens });
  }
  grow(path.length);
  for (const { endedAt, goal } of state.endedTasks) {
    if (endedAt === undefined) continue;
    const label = `${vscode.l10n.t('Task ended')}: ${redact(goal)}`;
    marks.push({ kind: 'reset', at: messagesUntil(state, endedAt), label });
  }
  for (const event of eventsOnBranch(state)) {
    if (!event.pinned && !state.isCurrent(event)) continue;
    const label = truncate(redact(event.quote), 120);
    marks.push({ kind: 'event', at: state.positionOf(event.message)! + 1, label });
  }
  return { messages: path.length, points, marks };
}

/** Number of messages of the branch that existed at `time` (ms since the epoch). */
const messagesUntil = ({ path, messages }: SessionState, time: number): number =>
  firstIndexWhere(path.length, (index) => (messages.get(path[index]!)?.at ?? 0) > time);
