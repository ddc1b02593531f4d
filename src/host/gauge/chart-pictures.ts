import * as v from 'valibot';
import { chartAnswerSchema, type ChartRequest } from '../../protocol/chart.ts';

/** A page that is being loaded, and draws, has this long before it is given up, in ms. */
const PATIENCE = 60_000;

interface Waiting {
  readonly done: (png: Uint8Array) => void;
  readonly failed: (error: Error) => void;
}

/** Asks the chart's page for pictures, once it listens. */
export class Pictures {
  readonly #post: (message: ChartRequest) => void;
  readonly #waiting = new Map<number, Waiting & { readonly request: ChartRequest }>();
  #listens = false;
  #last = 0;

  constructor(post: (message: ChartRequest) => void) {
    this.#post = post;
  }

  /** The drawing as PNG, so many pixels large. Rejects when the page cannot. */
  async draw(svg: string, width: number, height: number): Promise<Uint8Array> {
    const request: ChartRequest = { type: 'draw', id: ++this.#last, svg, width, height };
    let timer: NodeJS.Timeout | undefined;
    const drawn = new Promise<Uint8Array>((done, failed) => {
      this.#waiting.set(request.id, { request, done, failed });
      timer = setTimeout(() => failed(new Error('the page did not draw the picture')), PATIENCE);
    });
    if (this.#listens) this.#post(request);
    try {
      return await drawn;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(request.id);
    }
  }

  /** What the page sent. What is none of its messages is left alone: nothing waits for it. */
  receive(value: unknown): void {
    const parsed = v.safeParse(chartAnswerSchema, value);
    if (!parsed.success) return;
    const answer = parsed.output;
    switch (answer.type) {
      case 'ready':
        this.#listens = true;
        for (const { request } of this.#waiting.values()) this.#post(request);
        return;
      case 'drawn':
        this.#waiting.get(answer.id)?.done(Buffer.from(answer.base64, 'base64'));
        return;
      case 'failed':
        this.#waiting.get(answer.id)?.failed(new Error(`the page could not draw the picture: ${answer.reason}`));
        return;
    }
  }

  /** The page is gone, or about to be another; what waits is asked of the next one. */
  gone(): void {
    this.#listens = false;
  }
}
