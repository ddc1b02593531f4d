import type { ContextSeries } from './context-series.ts';

export interface ChartTexts {
  readonly title: string;
  readonly tokens: string;
  readonly messages: string;
  readonly budget: string;
  readonly events: string;
  /** Writes a number for people. */
  readonly number: (value: number) => string;
}

export const WIDTH = 960;
export const HEIGHT = 420;
const LEFT = 72;
/** Half of the last number of messages stands in it. */
const RIGHT = 32;
const TOP = 24;
const BOTTOM = 64;
/** Marks of key events drawn at most: more become a band. */
const MOST_EVENTS = 600;

/**
 * The chart as SVG. Its colours are those of classes, which a page sets from its theme; without a page they are set by
 * the drawing itself, for light and dark.
 */
export function chartSvg(series: ContextSeries, budget: number, texts: ChartTexts, standsAlone: boolean): string {
  const most = Math.max(1, budget, ...series.points.map(({ tokens }) => tokens));
  const top = niceCeiling(most);
  const x = (at: number): number => LEFT + (at / Math.max(1, series.messages)) * (WIDTH - LEFT - RIGHT);
  const y = (tokens: number): number => TOP + (1 - tokens / top) * (HEIGHT - TOP - BOTTOM);
  const round = (value: number): string => value.toFixed(1);
  const line = series.points
    .map(({ at, tokens }, i) => `${i === 0 ? 'M' : 'L'}${round(x(at))} ${round(y(tokens))}`)
    .join('');
  const ticks = [0, 0.25, 0.5, 0.75, 1];
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}"${standsAlone ? ` width="${WIDTH}" height="${HEIGHT}"` : ''} role="img" aria-labelledby="chart-title">`,
    `<title id="chart-title">${escape(texts.title)}</title>`,
    standsAlone ? `<style>${OWN_STYLE}</style><rect class="ground" width="${WIDTH}" height="${HEIGHT}"/>` : '',
    ...ticks.map((share) => {
      const at = round(y(top * share));
      return `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${at}" y2="${at}"/><text class="label" x="${LEFT - 8}" y="${at}" text-anchor="end" dominant-baseline="middle">${escape(texts.number(top * share))}</text>`;
    }),
    ...ticks.map((share) => {
      const messages = Math.round(series.messages * share);
      return `<text class="label" x="${round(x(messages))}" y="${HEIGHT - BOTTOM + 34}" text-anchor="middle">${escape(texts.number(messages))}</text>`;
    }),
    `<text class="label" x="${LEFT}" y="14">${escape(texts.tokens)}</text>`,
    `<text class="label" x="${WIDTH - RIGHT}" y="${HEIGHT - 8}" text-anchor="end">${escape(texts.messages)}</text>`,
    `<line class="budget" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${round(y(budget))}" y2="${round(y(budget))}"/>`,
    `<text class="label" x="${LEFT + 6}" y="${round(y(budget) - 5)}">${escape(texts.budget)}</text>`,
    `<line class="event" x1="${LEFT}" x2="${LEFT}" y1="${HEIGHT - 18}" y2="${HEIGHT - 8}"/><text class="label" x="${LEFT + 6}" y="${HEIGHT - 8}">${escape(texts.events)}</text>`,
    ...thinned(series.marks.filter(({ kind }) => kind === 'event')).map(
      ({ at, label }) =>
        `<line class="event" x1="${round(x(at))}" x2="${round(x(at))}" y1="${HEIGHT - BOTTOM + 4}" y2="${HEIGHT - BOTTOM + 14}"><title>${escape(label)}</title></line>`,
    ),
    ...series.marks
      .filter(({ kind }) => kind === 'reset')
      .map(
        ({ at, label }) =>
          `<line class="reset" x1="${round(x(at))}" x2="${round(x(at))}" y1="${TOP}" y2="${HEIGHT - BOTTOM}"><title>${escape(label)}</title></line>`,
      ),
    `<path class="area" d="${line}L${round(x(series.messages))} ${round(y(0))}L${round(x(0))} ${round(y(0))}Z"/>`,
    `<path class="line" d="${line}"/>`,
    ...series.marks
      .filter(({ kind }) => kind === 'compression')
      .map(
        ({ at, label }) =>
          `<line class="compression" x1="${round(x(at))}" x2="${round(x(at))}" y1="${TOP}" y2="${HEIGHT - BOTTOM}"><title>${escape(label)}</title></line><circle class="knot" cx="${round(x(at))}" cy="${TOP}" r="5"><title>${escape(label)}</title></circle>`,
      ),
    '</svg>',
  ];
  return parts.filter((part) => part !== '').join('\n');
}

const OWN_STYLE = `
.ground{fill:#fff}.label{font:12px sans-serif;fill:#555}.grid{stroke:#ddd}.budget{stroke:#c33;stroke-dasharray:6 4}
.line{fill:none;stroke:#06c;stroke-width:2}.area{fill:#06c;fill-opacity:.12}.compression{stroke:#888;stroke-dasharray:2 3}
.knot{fill:#888}.event{stroke:#b80}.reset{stroke:#393;stroke-dasharray:8 3}
@media(prefers-color-scheme:dark){.ground{fill:#1e1e1e}.label{fill:#bbb}.grid{stroke:#333}.line{stroke:#4af}.area{fill:#4af}}`;

/** At most so many, evenly chosen. */
function thinned<Item>(items: readonly Item[]): readonly Item[] {
  const step = Math.ceil(items.length / MOST_EVENTS);
  return step <= 1 ? items : items.filter((_, at) => at % step === 0);
}

/** The next larger number that leaves round ones when it is divided by four. */
function niceCeiling(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 1.2, 1.6, 2, 2.4, 3.2, 4, 6, 8, 10].find((one) => one * power >= value) ?? 10;
  return Math.max(4, Math.round(step * power));
}

/** Characters that no XML may hold, escaped or not (XML 1.0, 2.2): what terminals print is full of them. */
const NO_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/** As text of an SVG; what was cut in the middle of a character, or is no character of XML, shows as unknown. */
const escape = (text: string): string =>
  text
    .toWellFormed()
    .replace(NO_XML, '\ufffd')
    .replace(/[&<>"]/g, (char) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[char] ?? char);
