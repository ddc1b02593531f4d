import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { findChromium } from '../../scripts/editor/find-chromium.ts';
import { outFolder, root } from '../../scripts/support/paths.ts';
import type * as ChartModule from '../../src/host/gauge/chart-svg.ts';
import { hostIn, l10n } from '../support/fake-editor.ts';

const SERIES = {
  messages: 12_480,
  points: Array.from({ length: 60 }, (_, at) => ({ at: at * 211, tokens: 900_000 - (at % 12) * 70_000 })),
  marks: [
    { kind: 'compression' as const, at: 2_532, label: 'Compression', tokens: 130_000 },
    { kind: 'reset' as const, at: 5_000, label: 'Task ended' },
    { kind: 'event' as const, at: 3_000, label: 'We use port 8443.' },
  ],
};

/** Colors of VS Code's themes. */
const THEMES = {
  dark: { foreground: '#ccc', descriptionForeground: '#9d9d9d', 'editor-background': '#1f1f1f' },
  light: { foreground: '#3b3b3b', descriptionForeground: '#3b3b3b', 'editor-background': '#fff' },
  'high-contrast': { foreground: '#fff', descriptionForeground: '#ffffffb3', 'editor-background': '#000' },
};
const COMMON = {
  'font-family': 'sans-serif',
  ...{ 'charts-lines': '#88888880', 'charts-red': '#f14c4c', 'charts-blue': '#3794ff' },
  ...{ 'charts-purple': '#b180d7', 'charts-orange': '#d18616', 'charts-green': '#89d185' },
};

interface Box {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** The visible labels of the chart, in px. */
const LABELS = `Array.from(document.querySelectorAll('text.label'), (label) => {
  const { left, right, top, bottom } = label.getBoundingClientRect();
  return { text: label.textContent, left, right, top, bottom };
}).filter(({ left, right }) => right > left)`;

describe('context chart', () => {
  let browser: Browser;

  before(async () => {
    browser = await chromium.launch({ executablePath: await findChromium(console.log), args: ['--no-sandbox'] });
  });

  after(() => browser?.close());

  async function open(language: string, theme: keyof typeof THEMES): Promise<Page> {
    const file = path.join(root, `l10n/bundle.l10n.${language}.json`);
    const texts = language === 'en' ? {} : (JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>);
    const t = (text: string, ...values: unknown[]): string => l10n.t(texts[text] ?? text, ...values);
    const load = hostIn({ l10n: { t }, env: { language } });
    const { chartPage, chartSvg, PAGE_WIDTHS } = await load<typeof ChartModule>('gauge/chart-svg.ts');
    // A new page, because a document keeps the content security policies of earlier content.
    const page = await browser.newPage();
    await page.setContent(chartPage(PAGE_WIDTHS.map((width) => chartSvg(SERIES, 700_000, width)).join('')));
    const variables = Object.entries({ ...COMMON, ...THEMES[theme] }).map(
      ([name, value]) => `--vscode-${name}: ${value};`,
    );
    await page.evaluate(`document.documentElement.style.cssText = ${JSON.stringify(variables.join(''))}`);
    return page;
  }

  for (const language of ['en', 'de', 'es', 'fr', 'ja', 'pt-br', 'zh-cn'])
    it(`is legible in editors of any width (${language})`, async () => {
      const page = await open(language, 'dark');
      for (const width of [200, 240, 300, 360, 361, 500, 720, 721, 1000, 1600]) {
        await page.setViewportSize({ width, height: 800 });
        const labels = await page.evaluate<Box[]>(LABELS);
        assert.ok(labels.length > 8, String(labels.length));
        for (const [at, one] of labels.entries()) {
          const place = `“${one.text}” at ${width} px`;
          assert.ok(one.bottom - one.top >= 9, `${place}: ${one.bottom - one.top} px high`);
          assert.ok(one.left >= 0 && one.right <= width, `${place}: from ${one.left} to ${one.right}`);
          for (const { text, ...other } of labels.slice(at + 1)) {
            const isDisjoint =
              one.right <= other.left || other.right <= one.left || one.bottom <= other.top || other.bottom <= one.top;
            assert.ok(isDisjoint, `${place} covers “${text}”`);
          }
        }
      }
    });

  for (const theme of ['dark', 'light', 'high-contrast'] as const)
    it(`is drawn in the colors of the ${theme} theme`, async () => {
      const page = await open('en', theme);
      for (const width of [200, 300, 1000]) {
        await page.setViewportSize({ width, height: 600 });
        await page.screenshot({ path: path.join(outFolder, 'screenshots', `context-chart-${theme}-${width}.png`) });
      }
      const fill = await page.evaluate(`getComputedStyle(document.querySelector('.label')).fill`);
      const expected = {
        dark: 'rgb(157, 157, 157)',
        light: 'rgb(59, 59, 59)',
        'high-contrast': 'rgba(255, 255, 255, 0.7)',
      };
      assert.equal(fill, expected[theme]);
    });
});
