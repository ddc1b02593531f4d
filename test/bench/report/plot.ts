import type { Plot } from './figure.ts';

const WIDTH = 720;
const HEIGHT = 400;
const LEFT = 80;
const RIGHT = 190;
const TOP = 48;
const BOTTOM = 56;
const COLOURS = ['#2563eb', '#d97706', '#6b7280', '#059669', '#be123c'];
const TICKS = 4;

/** A line plot that is readable on light and dark pages. Both axes start at zero. */
export function plotSvg({ title, x, y, series }: Plot): string {
  const all = series.flatMap(({ points }) => points);
  const right = Math.max(1e-9, ...all.map(([at]) => at));
  const top = niceTop(Math.max(1e-9, ...all.map(([, value]) => value)));
  const px = (at: number): string => (LEFT + (at / right) * (WIDTH - LEFT - RIGHT)).toFixed(1);
  const py = (value: number): string => (HEIGHT - BOTTOM - (value / top) * (HEIGHT - TOP - BOTTOM)).toFixed(1);
  const ticks = Array.from({ length: TICKS + 1 }, (_, n) => n / TICKS);
  const grid = ticks.flatMap((share) => [
    `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${py(top * share)}" y2="${py(top * share)}" stroke="#d1d5db"/>`,
    `<text x="${LEFT - 8}" y="${py(top * share)}" dy="4" text-anchor="end">${short(top * share)}</text>`,
    `<text x="${px(right * share)}" y="${HEIGHT - BOTTOM + 20}" text-anchor="middle">${short(right * share)}</text>`,
  ]);
  const lines = series.flatMap(({ name, points }, at) => {
    const colour = COLOURS[at % COLOURS.length]!;
    const path = points.map(([u, w]) => `${px(u)},${py(w)}`).join(' ');
    const legend = TOP + 8 + at * 22;
    return [
      `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2.5"/>`,
      ...points.map(([u, w]) => `<circle cx="${px(u)}" cy="${py(w)}" r="2.5" fill="${colour}"/>`),
      `<rect x="${WIDTH - RIGHT + 16}" y="${legend - 9}" width="12" height="12" fill="${colour}"/>`,
      `<text x="${WIDTH - RIGHT + 34}" y="${legend + 1}">${escape(name)}</text>`,
    ];
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escape(title)}" font-family="system-ui, sans-serif" font-size="12" fill="#374151">
<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>
<text x="${LEFT}" y="28" font-size="16" font-weight="600">${escape(title)}</text>
${[...grid, ...lines].join('\n')}
<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 14}" text-anchor="middle">${escape(x)}</text>
<text transform="translate(18 ${(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)" text-anchor="middle">${escape(y)}</text>
</svg>
`;
}

/** The next 1, 2, or 5 times a power of ten, for round ticks. */
function niceTop(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 4, 5, 10].find((step) => step * power >= value) ?? 10) * power;
}

function short(value: number): string {
  if (value >= 1e6) return `${Number((value / 1e6).toFixed(1))} M`;
  if (value >= 1e3) return `${Number((value / 1e3).toFixed(1))} k`;
  return String(Number(value.toFixed(2)));
}

const escape = (text: string): string => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
