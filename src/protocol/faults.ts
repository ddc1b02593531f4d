import * as v from 'valibot';
import { wayOutSchema } from './views.ts';

/**
 * Why a request was not carried out. `elsewhere`: it is about a session that is not the open one. `failed` is what the
 * host could not name better; its sentence says what.
 */
export const REQUEST_FAULT_REASONS = [
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

/** A fault as it travels: `text` is one sentence for the user, `action` a way out. */
export const faultSchema = v.object({
  reason: v.picklist(REQUEST_FAULT_REASONS),
  text: v.string(),
  action: v.optional(wayOutSchema),
});
export type FaultView = v.InferOutput<typeof faultSchema>;

/** Thrown by the host's handlers to refuse a request, and by the page's link where that refusal arrives. */
export class RequestFault extends Error {
  readonly reason: RequestFaultReason;
  readonly action: FaultView['action'];

  /** @param text one sentence for the user */
  constructor(reason: RequestFaultReason, text: string, action?: FaultView['action']) {
    super(text);
    this.name = 'RequestFault';
    this.reason = reason;
    this.action = action;
  }

  static is(error: unknown, ...reasons: readonly RequestFaultReason[]): error is RequestFault {
    return error instanceof RequestFault && (reasons.length === 0 || reasons.includes(error.reason));
  }
}
