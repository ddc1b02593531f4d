/** Maximum number of cached answers. A formula's takes a few KB, and a chat stays open for days. */
const MAX_CACHED = 1_000;
/** How long elements are collected before their answers are requested, in ms. */
const BATCH_DELAY_MS = 50;

type Answer = readonly [key: string, answer: string];

/**
 * Returns a function that applies the host's answer to an element. Answers are cached, and missing ones are requested
 * in batches. `request` gets at most `maxKeys` keys and may omit answers.
 */
export function createLookUp(maxKeys: number, request: (keys: readonly string[]) => Promise<readonly Answer[]>) {
  type LookUp = (element: { readonly isConnected: boolean }, key: string, apply: (answer: string) => void) => void;
  const cache = new Map<string, string>();
  const keep = (key: string, answer: string): void => {
    // The answers that were used last are at the end.
    cache.delete(key);
    cache.set(key, answer);
    const [oldest] = cache.keys();
    if (cache.size > MAX_CACHED && oldest !== undefined) cache.delete(oldest);
  };
  let waiting: Parameters<LookUp>[] = [];
  const requestWaiting = async (): Promise<void> => {
    const batch = waiting.filter(([element]) => element.isConnected);
    waiting = [];
    const keys = [...new Set(batch.map(([, key]) => key))];
    const answers = new Map<string, string>();
    for (let from = 0; from < keys.length; from += maxKeys)
      for (const [key, answer] of await request(keys.slice(from, from + maxKeys))) {
        answers.set(key, answer);
        keep(key, answer);
      }
    for (const [, key, apply] of batch) {
      const answer = answers.get(key) ?? cache.get(key);
      if (answer !== undefined) apply(answer);
    }
  };
  const lookUp: LookUp = (element, key, apply) => {
    const answer = cache.get(key);
    if (answer !== undefined) {
      keep(key, answer);
      apply(answer);
      return;
    }
    if (waiting.length === 0) setTimeout(() => void requestWaiting(), BATCH_DELAY_MS);
    waiting.push([element, key, apply]);
  };
  return lookUp;
}
