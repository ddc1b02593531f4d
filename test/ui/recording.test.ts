import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { outFolder } from '../../scripts/support/paths.ts';
import { Workbench } from './workbench.ts';

/** Pause after each step, so that viewers can read the screen, in ms. */
const READING_MS = 1500;

/** The recording's width in pixels. The height follows from the window's. */
const WIDTH = 900;
/** Interval between frames, in ms. */
const EVERY_MS = 150;
/** Maximum duration of an unchanged frame except for the last, in ms. */
const MAX_MS = 2200;
const LAST_MS = 4000;

interface Frame {
  readonly png: Buffer;
  readonly at: number;
}

/** A recording of a window as an animated WebP in a loop. */
class Recording {
  readonly #page: Page;
  readonly #frames: Frame[] = [];
  #running: Promise<void> | undefined;
  #isOver = false;

  constructor(page: Page) {
    this.#page = page;
  }

  start(): void {
    this.#running = this.#look();
  }

  async save(file: string): Promise<void> {
    this.#isOver = true;
    await this.#running;
    const delay = this.#frames.map(({ at }, n) => {
      const next = this.#frames[n + 1];
      return next ? Math.round(Math.min(next.at - at, MAX_MS)) : LAST_MS;
    });
    const pictures = await Promise.all(this.#frames.map(({ png }) => sharp(png).resize(WIDTH).png().toBuffer()));
    await mkdir(path.dirname(file), { recursive: true });
    await sharp(pictures, { join: { animated: true } })
      .webp({ delay, loop: 0, quality: 50, effort: 6 })
      .toFile(file);
  }

  async #look(): Promise<void> {
    while (!this.#isOver) {
      const png = await this.#page.screenshot({ caret: 'initial' });
      const last = this.#frames.at(-1);
      if (!last?.png.equals(png)) this.#frames.push({ png, at: performance.now() });
      await this.#page.waitForTimeout(EVERY_MS);
    }
  }
}

describe('recording of the first minutes', () => {
  let workbench: Workbench;

  before(async function () {
    if (process.env.THREADKEEPER_RECORD !== '1') {
      console.log('      skipped: set THREADKEEPER_RECORD=1 to make a recording');
      this.skip();
    }
    workbench = await Workbench.open({ profile: 'recording' });
  });

  it('shows a long session, its compression, a question about it, and the tree of summaries', async () => {
    const { page } = workbench;
    const pause = (): Promise<void> => page.waitForTimeout(READING_MS);
    await workbench.openSampleSession();
    const recording = new Recording(page);
    recording.start();
    await pause();
    await workbench.compressHistory();
    await workbench.waitForNotice(/Compressed \d+ messages/, { timeout: 60_000 });
    await pause();
    await workbench.clearToasts();
    const composer = workbench.webview().getByRole('textbox').first();
    await composer.pressSequentially('Which database did we choose?', { delay: 40 });
    await composer.press('Enter');
    await workbench.webview().getByRole('article').getByText('No model is configured').last().waitFor();
    await pause();
    await workbench.openSidebar('Threadkeeper');
    await workbench.treeRow(/^Summaries/).waitFor();
    await pause();
    await page.locator('.sidebar .monaco-list-row[aria-level="2"]').first().click();
    await workbench.newestWebview().locator('.document').waitFor();
    await pause();
    await recording.save(path.join(outFolder, 'recording', 'first-minutes.webp'));
  });
});
