import * as v from 'valibot';
import { timestampSchema } from '../core/model/field-schemas.ts';
import { renderPhrase } from '../core/text/phrase.ts';
import { waitPhrase } from '../core/text/wait-phrase.ts';
import { faultButtonSchema } from './views.ts';

/** Why a request failed. `elsewhere`: its session isn't open anymore. `failed`: any other error. */
const REQUEST_FAULT_REASONS = [
  'busy',
  'cancelled',
  'elsewhere',
  'invalid',
  'not_found',
  'read_only',
  'too_large',
  'no_key',
  'offline',
  'storage',
  'failed',
] as const;
export type RequestFaultReason = (typeof REQUEST_FAULT_REASONS)[number];

/** A text in which `{0}` is the time that remains until `until`. */
const waitSchema = v.object({ until: timestampSchema, text: v.string() });
type WaitView = v.InferOutput<typeof waitSchema>;

/** The text of a wait at `now`, in ms since the epoch. */
export const waitTextAt = ({ until, text }: WaitView, now: number, translate: (english: string) => string): string =>
  renderPhrase({ english: text, values: [waitPhrase(until - now)] }, translate);

/**
 * `text` is a sentence for the user, `details` the provider's own message, `action` a button that may help, `wait` the
 * text as long as it's shown, if it says when to try again.
 */
export const faultSchema = v.object({
  reason: v.picklist(REQUEST_FAULT_REASONS),
  text: v.string(),
  details: v.optional(v.string()),
  action: v.optional(faultButtonSchema),
  wait: v.optional(waitSchema),
});
export type FaultView = v.InferOutput<typeof faultSchema>;

/** Thrown by the host's handlers to reject a request. */
export class RequestFault extends Error {
  readonly reason: RequestFaultReason;

  /** @param text a sentence for the user */
  constructor(reason: RequestFaultReason, text: string) {
    super(text);
    this.name = 'RequestFault';
    this.reason = reason;
  }
}
