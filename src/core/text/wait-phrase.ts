import { phrase, type Phrase } from './phrase.ts';

/** A wait of `ms`, rounded up: `in 30 seconds`, `in 10 minutes`; `in a moment` if it's over. */
export function waitPhrase(ms: number): Phrase {
  const seconds = Math.ceil(ms / 1000);
  if (seconds <= 0) return phrase('in a moment');
  if (seconds === 1) return phrase('in 1 second');
  if (seconds < 100) return phrase('in {0} seconds', seconds);
  // Minutes, hours, and days start at 2, so they need no singular.
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 100) return phrase('in {0} minutes', minutes);
  const hours = Math.ceil(minutes / 60);
  return hours < 48 ? phrase('in {0} hours', hours) : phrase('in {0} days', Math.ceil(hours / 24));
}
