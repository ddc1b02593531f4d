import type { Memento } from 'vscode';
import { Calibration, storedCalibrationSchema, type StoredCalibration } from '../../core/tokens/calibration.ts';
import { modelInfo } from '../../core/tokens/model-info.ts';
import { storedMap } from '../platform/stored-map.ts';
import type { ChosenModel } from './models.ts';

const KEY = 'threadkeeper.calibration';
const MAX_KEPT = 12;

export type Calibrations = ReturnType<typeof calibrations>;

/** Corrections of the local token counts for each model, learned from usage reports and stored. */
export function calibrations(memento: Memento) {
  const stored = storedMap<StoredCalibration>(memento, KEY, storedCalibrationSchema, MAX_KEPT);
  /** The calibrations used in this window, the last used one at the end. */
  const used = new Map<string, Calibration>();
  /** Undefined for the local provider, for which the local counts are exact. */
  const of = (chosen: ChosenModel): Calibration | undefined => {
    if (chosen.provider === 'local') return undefined;
    const key = keyOf(chosen);
    const known = used.get(key) ?? calibration(chosen, stored.get(key));
    used.delete(key);
    used.set(key, known);
    return known;
  };
  return {
    of,
    /** Forgets the server's observed context window, which may have grown since. */
    forgetContextWindow: (chosen: ChosenModel): void => {
      const observations = of(chosen)?.export().observations;
      if (observations) used.set(keyOf(chosen), calibration(chosen, { observations }));
    },
    save: (): void => {
      for (const [key, known] of used) stored.set(key, known.export());
      void stored.save();
    },
  };
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
