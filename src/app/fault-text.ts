import type { ModelFault } from './fault.ts';

/** What a button beside the sentence does. */
export type FaultAction = 'setKey' | 'chooseModel' | 'compress' | 'retry' | 'openSettings';

/** What the user reads of a fault: one sentence with a way out, and the button that takes it. */
export interface FaultText {
  readonly message: string;
  readonly action?: FaultAction;
}

/** The sentence for a fault, chosen by its reason alone: a provider's own words stay in the log. */
export function describeFault(fault: Pick<ModelFault, 'reason' | 'retryAfterMs'>): FaultText {
  switch (fault.reason) {
    case 'no_key':
      return { message: 'No API key is set for this provider: set one, or choose another model.', action: 'setKey' };
    case 'refused_key':
      return { message: 'The provider refused the API key: set a valid one.', action: 'setKey' };
    case 'forbidden':
      return { message: 'Your key may not use this model: choose another one.', action: 'chooseModel' };
    case 'model_not_found':
      return {
        message: 'The provider does not know this model: choose another one, or check the base URL.',
        action: 'chooseModel',
      };
    case 'rate_limited':
      return {
        message: `The provider limits how often you may ask: try again ${whenToRetry(fault)}.`,
        action: 'retry',
      };
    case 'quota':
      return {
        message: 'Your account with the provider has no credit left: add some there, or choose another model.',
        action: 'chooseModel',
      };
    case 'context_too_long':
      return {
        message: 'The conversation is longer than the model takes: compress the history, then send again.',
        action: 'compress',
      };
    case 'content_refused':
      return {
        message: 'The provider refused to answer this: rephrase the message, or choose another model.',
        action: 'chooseModel',
      };
    case 'overloaded':
      return { message: `The provider is overloaded or in trouble: try again ${whenToRetry(fault)}.`, action: 'retry' };
    case 'network':
      return {
        message: 'The provider cannot be reached: check your network and the base URL, then try again.',
        action: 'retry',
      };
    case 'timeout':
      return { message: 'The provider fell silent: try again, or choose another model.', action: 'retry' };
    case 'cut_stream':
      return { message: 'The reply was cut off: what came is kept; try again.', action: 'retry' };
    case 'malformed':
      return {
        message: 'The server answered in a form that is not understood: check the base URL, then try again.',
        action: 'openSettings',
      };
    case 'bad_request':
      return {
        message: 'The provider refused the request: check the model and the base URL in the settings.',
        action: 'openSettings',
      };
    case 'cancelled':
      return { message: 'Stopped: what came is kept; send again when you like.', action: 'retry' };
  }
}

function whenToRetry(fault: Pick<ModelFault, 'retryAfterMs'>): string {
  if (fault.retryAfterMs === undefined) return 'in a moment';
  const seconds = Math.max(1, Math.ceil(fault.retryAfterMs / 1000));
  if (seconds < 100) return seconds === 1 ? 'in 1 second' : `in ${seconds} seconds`;
  return `in ${Math.ceil(seconds / 60)} minutes`;
}
