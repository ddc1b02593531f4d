import * as v from 'valibot';
import { faultButtonSchema } from './views.ts';

/** Why a request failed. `elsewhere`: its session isn't open anymore. `failed`: any other error. */
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

/** `text` is a sentence for the user, `details` the provider's own message, `action` a button that may help. */
export const faultSchema = v.object({
  reason: v.picklist(REQUEST_FAULT_REASONS),
  text: v.string(),
  details: v.optional(v.string()),
  action: v.optional(faultButtonSchema),
});
export type FaultView = v.InferOutput<typeof faultSchema>;

/** Thrown by the host's handlers to reject a request, and by the page's `HostConnection` for a rejected one. */
export class RequestFault extends Error {
  readonly reason: RequestFaultReason;
  readonly action: FaultView['action'];
  readonly details: FaultView['details'];

  /** @param text a sentence for the user */
  constructor(reason: RequestFaultReason, text: string, action?: FaultView['action'], details?: FaultView['details']) {
    super(text);
    this.name = 'RequestFault';
    this.reason = reason;
    this.action = action;
    this.details = details;
  }

  static is(error: unknown, ...reasons: readonly RequestFaultReason[]): error is RequestFault {
    return error instanceof RequestFault && (reasons.length === 0 || reasons.includes(error.reason));
  }
}
