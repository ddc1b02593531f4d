import type { Memento } from 'vscode';
import { Calibration, storedCalibrationSchema, type StoredCalibration } from '../../core/tokens/calibration.ts';
import { modelInfo } from '../../core/tokens/model-info.ts';
import { StoredMap } from '../platform/stored-map.ts';
import type { ChosenModel } from './models.ts';

const KEY = 'threadkeeper.calibration';
const MAX_KEPT = 12;

/** Corrections of the local token counts for each model, learned from usage reports and stored. */
export class Calibrations {
  readonly #stored: StoredMap<StoredCalibration>;
  /** The calibrations used in this window, the last used one at the end. */
  readonly #known = new Map<string, Calibration>();

  constructor(memento: Memento) {
    this.#stored = new StoredMap<StoredCalibration>(memento, KEY, storedCalibrationSchema, MAX_KEPT);
  }

  /** Undefined for the local provider, for which the local counts are exact. */
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
    for (const [key, known] of this.#known) this.#stored.set(key, known.export());
    void this.#stored.save();
  }
}

const keyOf = (chosen: ChosenModel): string =>
  [
    `${chosen.provider}/${chosen.model}`,
    ...(isVendorServer(chosen) || chosen.baseUrl === '' ? [] : [chosen.baseUrl]),
  ].join(' ');

const calibration = (chosen: ChosenModel, stored?: StoredCalibration): Calibration =>
  new Calibration(modelInfo(chosen.model).countFactor, stored, isVendorServer(chosen));

/** Whether the server is OpenAI's or Anthropic's. These never truncate prompts: they read or reject them. */
function isVendorServer({ provider, baseUrl }: ChosenModel): boolean {
  const host = URL.parse(baseUrl)?.hostname ?? '';
  const isOwn = baseUrl.trim() === '' || /(?:^|\.)api\.(?:openai|anthropic)\.com$/.test(host);
  return isOwn && (provider === 'openai' || provider === 'anthropic');
}
