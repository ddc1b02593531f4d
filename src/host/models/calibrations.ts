import * as v from 'valibot';
import type { Memento } from 'vscode';
import { Calibration, calibrationSchema, type StoredCalibration } from '../../core/tokens/calibration.ts';
import { modelInfo } from '../../core/tokens/models.ts';
import type { ChosenModel } from './models.ts';

const KEY = 'threadkeeper.calibration';
/** Maximum number of stored models; the least recently used are dropped. */
const MAX_MODELS = 12;

const schema = v.array(v.tuple([v.string(), calibrationSchema]));

/** Corrections of our token counts for each model, learned from usage reports and stored. */
export class Calibrations {
  readonly #memento: Memento;
  readonly #known = new Map<string, Calibration>();
  readonly #stored: Map<string, StoredCalibration>;

  constructor(memento: Memento) {
    this.#memento = memento;
    const parsed = v.safeParse(schema, memento.get(KEY));
    this.#stored = new Map(parsed.success ? parsed.output : []);
  }

  /** Undefined for the local provider, for which our own counts are exact. */
  of(chosen: ChosenModel): Calibration | undefined {
    if (chosen.provider === 'local') return undefined;
    const key = keyOf(chosen);
    const known = this.#known.get(key) ?? calibration(chosen, this.#stored.get(key));
    this.#known.delete(key);
    this.#known.set(key, known);
    return known;
  }

  /** Forgets the server's observed context window, which may have grown since. */
  forgetContextWindow(chosen: ChosenModel): void {
    const observations = this.of(chosen)?.export().observations;
    if (observations) this.#known.set(keyOf(chosen), calibration(chosen, { observations }));
  }

  save(): void {
    for (const [key, calibration] of this.#known) {
      this.#stored.delete(key);
      this.#stored.set(key, calibration.export());
    }
    const newest = [...this.#stored].slice(-MAX_MODELS);
    void this.#memento.update(KEY, newest);
  }
}

const keyOf = (chosen: ChosenModel): string =>
  [
    `${chosen.provider}/${chosen.model}`,
    ...(isVendorsOwn(chosen) || chosen.baseUrl === '' ? [] : [chosen.baseUrl]),
  ].join(' ');

const calibration = (chosen: ChosenModel, stored?: StoredCalibration): Calibration =>
  new Calibration(modelInfo(chosen.model).countFactor, stored, isVendorsOwn(chosen));

/** Whether the server is OpenAI's or Anthropic's own. These never truncate prompts: they read or reject them. */
function isVendorsOwn({ provider, baseUrl }: ChosenModel): boolean {
  const host = URL.parse(baseUrl)?.hostname ?? '';
  const isOwn = baseUrl.trim() === '' || /(?:^|\.)api\.(?:openai|anthropic)\.com$/.test(host);
  return isOwn && (provider === 'openai' || provider === 'anthropic');
}
