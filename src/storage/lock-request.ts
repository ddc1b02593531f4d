import { readFile, rename, rm } from 'node:fs/promises';
import * as v from 'valibot';
import { ifThere, replaceFile, succeeds } from './disk-errors.ts';

/** `now`: a user has clicked *Take over*. `if_gone`: only if nobody sits before the window that writes. */
export type Urgency = 'now' | 'if_gone';

const requestSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ token: v.string(), urgency: v.picklist(['now', 'if_gone']) }),
);

/**
 * A window's request to become the writer, as a file beside the lock. It holds what the lock would say if it were
 * that window's, so that the writer hands over by renaming it: the lock is never free in between.
 */
export class LockRequest {
  readonly #path: string;
  readonly #lock: string;

  constructor(lock: string) {
    this.#lock = lock;
    this.#path = lock.replace(/\.lock$/, '.request');
  }

  /** Puts the request down; a wish does not replace what somebody has asked for at once. */
  async place(holder: object, urgency: Urgency): Promise<void> {
    if (urgency === 'if_gone' && (await this.read()) === 'now') return;
    await replaceFile(this.#path, JSON.stringify({ ...holder, urgency }));
  }

  /** How urgent the request is that lies there; undefined when there is none. */
  async read(): Promise<Urgency | undefined> {
    const parsed = v.safeParse(requestSchema, await ifThere(readFile(this.#path, 'utf8')));
    return parsed.success ? parsed.output.urgency : undefined;
  }

  /** Gives the lock to whoever asked last; false when the request was taken back. */
  grant(): Promise<boolean> {
    return succeeds(rename(this.#path, this.#lock), 'ENOENT');
  }

  /** Takes the request away: as the writer to refuse it, as the one who asked to take it back. */
  async remove(): Promise<void> {
    await rm(this.#path, { force: true });
  }
}
