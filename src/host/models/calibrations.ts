import type { Memento } from 'vscode';
import type { SessionId } from '../../core/model/ids.ts';
import { Calibration, storedCalibrationSchema, type StoredCalibration } from '../../core/tokens/calibration.ts';
import { modelInfo } from '../../core/tokens/model-info.ts';
import { storedMap } from '../platform/stored-map.ts';
import type { ChosenModel } from './models.ts';

const KEY = 'threadkeeper.calibration';
const MAX_KEPT = 12;
/** Maximum number of sessions per model, because a window stays open for days. */
const MAX_SESSIONS = 100;

export type Calibrations = ReturnType<typeof calibrations>;

/**
 * Corrections of the local token counts, learned from usage reports. Each session of this window has its own, because
 * a tokenizer's deviation depends on the language and on how much code there is; the newest of each model is stored.
 */
export function calibrations(memento: Memento) {
  const stored = storedMap<StoredCalibration>(memento, KEY, storedCalibrationSchema, MAX_KEPT);
  /** The calibrations used in this window by model and session, those used last at the end. */
  const used = new Map<string, Map<SessionId, Calibration>>();
  /** Undefined for the local provider, for which the local counts are exact. */
  const of = (chosen: ChosenModel, session: SessionId): Calibration | undefined => {
    if (chosen.provider === 'local') return undefined;
    const key = keyOf(chosen);
    const bySession = used.get(key) ?? new Map<SessionId, Calibration>();
    const known = bySession.get(session) ?? newestOf(bySession)?.forSession() ?? calibration(chosen, stored.get(key));
    bySession.delete(session);
    bySession.set(session, known);
    const [oldest] = bySession.keys();
    if (bySession.size > MAX_SESSIONS && oldest !== undefined) bySession.delete(oldest);
    used.delete(key);
    used.set(key, bySession);
    return known;
  };
  return {
    of,
    /** Forgets the server's observed context window, which may have grown since. */
    forgetContextWindow: (chosen: ChosenModel): void => {
      const key = keyOf(chosen);
      const newest = newestOf(used.get(key) ?? new Map())?.export() ?? stored.get(key);
      if (newest) stored.set(key, { observations: newest.observations });
      used.delete(key);
    },
    save: (): void => {
      for (const [key, bySession] of used) stored.set(key, newestOf(bySession)!.export());
      void stored.save();
    },
  };
}

const newestOf = (bySession: ReadonlyMap<SessionId, Calibration>): Calibration | undefined =>
  [...bySession.values()].at(-1);

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
