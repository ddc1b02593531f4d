import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { outFolder } from '../../scripts/support/paths.ts';
import { ContextView } from './context-view.ts';
import { Workbench } from './workbench.ts';

const SHORT = 100;
const LONG = 10_000;
/** How many rows are opened, filters set, and messages revealed in each session. The median counts. */
const TIMES = 7;
/** Maximum ratio between an action's duration in the long and the short session. */
const MAX_LONGER = 1.5;
const ACTIONS = ['opening a row', 'filtering', 'revealing a message'] as const;
type Action = (typeof ACTIONS)[number];

/**
 * Measures the time from the next mouse press until a row in the Side Bar matches the selector and `gone` doesn't match
 * anymore, in ms by the page's clock.
 */
const WATCH = `([selector, text, gone]) => new Promise((done, failed) => {
  const shown = () => [...document.querySelectorAll('.sidebar .monaco-list-row')];
  addEventListener('pointerdown', () => {
    const start = performance.now();
    const look = () => {
      const rows = shown();
      const isThere = rows.some((row) => row.matches(selector) && row.textContent.includes(text));
      if (isThere && !(gone && rows.some((row) => row.textContent.includes(gone)))) done(performance.now() - start);
      else if (performance.now() - start > 60_000) failed(new Error('nothing came of it'));
      else requestAnimationFrame(look);
    };
    look();
  }, { capture: true, once: true });
})`;

// Times are printed. Only ratios of one run can fail the test, because the machine may be busy.
describe('performance of the Context view in the real workbench', function () {
  this.timeout(900_000);
  const spent: Readonly<Record<Action, Record<number, number>>> = {
    'opening a row': {},
    filtering: {},
    'revealing a message': {},
  };

  before(function () {
    if (process.env.THREADKEEPER_LONG === undefined) this.skip();
  });

  for (const messages of [SHORT, LONG])
    describe(`with ${messages} messages`, () => {
      let workbench: Workbench;
      let view: ContextView;
      before(async () => {
        workbench = await Workbench.open({ profile: `pace-${messages}` });
        view = new ContextView(workbench);
        await view.importSynthetic(messages);
        await workbench.waitForNotice(/Imported [\d,.]+ messages/, { timeout: 240_000 });
        await view.compress();
        await workbench.treeRow(/^Summaries/).waitFor();
      });
      after(() => workbench?.close());

      /** The time from a click until a row is visible. */
      const timed = async (
        click: () => Promise<void>,
        selector: string,
        text: string,
        gone?: string,
      ): Promise<number> => {
        const watched = workbench.page.evaluate<number>(
          `(${WATCH})(${JSON.stringify([selector, text, gone ?? null])})`,
        );
        await click();
        return watched;
      };
      const narrow = async (to: string): Promise<void> => {
        await workbench.ask('Threadkeeper: Filter Context View…', () => view.pick('Filter by Text'));
        await workbench.fillInputBox(to);
        await workbench.page.keyboard.press('Enter');
        await view
          .rows()
          .filter({ hasText: `Filter: ${to}` })
          .waitFor();
      };
      const median = (times: readonly number[]): number => [...times].sort((a, b) => a - b)[times.length >> 1]!;

      it('measures the time to expand a row', async () => {
        const row = (selector: string, hasText: RegExp): Locator =>
          workbench.page.locator(`.sidebar .monaco-list-row${selector}`, { hasText }).first();
        const times: number[] = [];
        const open = async (one: Locator): Promise<number> => {
          const [level, index] = [
            Number(await one.getAttribute('aria-level')),
            Number(await one.getAttribute('data-index')),
          ];
          const below = `[data-index="${index + 1}"][aria-level="${level + 1}"]`;
          times.push(await timed(() => view.twistie(one).click(), below, ''));
          return index;
        };
        const first = Number(await row('', /^Summaries/).getAttribute('data-index')) + 1;
        const events = await open(row('[aria-level="1"]', /^Key events/));
        // Opened rows are closed again, because rows outside the view aren't rendered.
        for (const index of [events + 1, events + 2, events + 3, events + 4, first]) {
          const one = row(`[data-index="${index}"][aria-level="2"]`, /./);
          await open(one);
          await view.twistie(one).click();
          await row(`[data-index="${index}"][aria-expanded="false"]`, /./).waitFor();
        }
        await open(row('[aria-level="1"]', /^Compressions/));
        assert.equal(times.length, TIMES);
        spent['opening a row'][messages] = median(times);
      });

      it('measures the time to set a filter', async () => {
        const times: number[] = [];
        for (let n = 0; n < TIMES; n++) {
          const kind = ['Facts', 'To-dos', 'Decisions'][n % 3]!;
          await workbench.chooseCommand('Threadkeeper: Filter Context View…');
          await workbench.paletteRow(kind).waitFor();
          times.push(await timed(() => view.pick(kind), '[data-index="0"]', `Filter: ${kind}`));
        }
        spent.filtering[messages] = median(times);
      });

      it('measures the time to reveal a message', async () => {
        const times: number[] = [];
        for (let n = 0; n < TIMES; n++) {
          await narrow('hands the list on');
          await view
            .rows()
            .filter({ hasText: /\d+ · (?:You|Assistant|Tool|active|superseded|didn’t fit)$/ })
            .nth(n)
            .click();
          await view.tab(/^Message \d+/).waitFor();
          const lens = workbench.page.locator('.codelens-decoration a', { hasText: 'Show in Context View' });
          await lens.waitFor();
          times.push(await timed(() => lens.click(), '.selected:not([aria-level="1"])', '', 'Filter:'));
          await workbench.runCommand('View: Close All Editors');
        }
        spent['revealing a message'][messages] = median(times);
      });
    });

  // Mocha runs a suite's own tests before those of nested suites.
  describe('long session compared with the short one', () => {
    it(`takes at most ${MAX_LONGER} times as long for each action`, async () => {
      const ratios = ACTIONS.map((act) => ({ act, ratio: spent[act][LONG]! / spent[act][SHORT]! }));
      for (const { act, ratio } of ratios)
        console.log(
          `      ${act}: ${spent[act][LONG]!.toFixed(0)} ms against ${spent[act][SHORT]!.toFixed(0)} ms, ratio ${ratio.toFixed(2)}`,
        );
      await mkdir(path.join(outFolder, 'pace'), { recursive: true });
      await writeFile(path.join(outFolder, 'pace', 'summaries.json'), JSON.stringify({ spent, ratios }));
      for (const { act, ratio } of ratios) assert.ok(ratio <= MAX_LONGER, `${act}: ${ratio.toFixed(2)} times as long`);
    });
  });
});
