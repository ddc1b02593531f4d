import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import sharp from 'sharp';

/** Width of the film in pixels; the height follows the window's. */
const WIDTH = 900;
/** Between two looks at the window, in ms. */
const EVERY_MS = 150;
/** A picture that stands still is shown no longer than this, in ms, but for the last. */
const MAX_MS = 2200;
const LAST_MS = 4000;

interface Frame {
  readonly png: Buffer;
  readonly at: number;
}

/** A film of a window, as an animated WebP that plays without sound and for ever. */
export class Recording {
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

  /** Ends the film and writes it. */
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
