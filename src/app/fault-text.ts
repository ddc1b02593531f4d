import { phrase, type Phrase } from '../core/text/phrase.ts';
import type { ModelFault } from './fault.ts';

/** What a button beside the sentence does. */
export type FaultAction = 'setKey' | 'chooseModel' | 'compress' | 'retry' | 'retryWithRoom' | 'openSettings';

/** What the user reads of a fault: one sentence with a way out, and the button that takes it. */
export interface FaultText {
  readonly message: Phrase;
  readonly action?: FaultAction;
}

/** The sentence for a fault, chosen by its reason alone: a provider's own words stay in the log. */
export function describeFault(fault: Pick<ModelFault, 'reason' | 'retryAfterMs'>): FaultText {
  switch (fault.reason) {
    case 'no_key':
      return {
        message: phrase('No API key is set for this provider: set one, or choose another model.'),
        action: 'setKey',
      };
    case 'refused_key':
      return { message: phrase('The provider refused the API key: set a valid one.'), action: 'setKey' };
    case 'forbidden':
      return { message: phrase('Your key may not use this model: choose another one.'), action: 'chooseModel' };
    case 'model_not_found':
      return {
        message: phrase('The provider does not know this model: choose another one, or check the base URL.'),
        action: 'chooseModel',
      };
    case 'rate_limited':
      return {
        message: phrase('The provider limits how often you may ask: try again {0}.', whenToRetry(fault)),
        action: 'retry',
      };
    case 'quota':
      return {
        message: phrase('Your account with the provider has no credit left: add some there, or choose another model.'),
        action: 'chooseModel',
      };
    case 'unaffordable':
      return {
        message: phrase(
          'Your credit with the provider does not cover the output limit: reserve fewer tokens for replies, or add credit.',
        ),
        action: 'openSettings',
      };
    case 'over_rate':
      return {
        message: phrase(
          'The request is larger than your account may send in a minute: compress the history, or choose another model.',
        ),
        action: 'compress',
      };
    case 'context_too_long':
      return {
        message: phrase('The conversation is longer than the model takes: compress the history, then send again.'),
        action: 'compress',
      };
    case 'content_refused':
      return {
        message: phrase('The provider refused to answer this: rephrase the message, or choose another model.'),
        action: 'chooseModel',
      };
    case 'overloaded':
      return {
        message: phrase('The provider is overloaded or in trouble: try again {0}.', whenToRetry(fault)),
        action: 'retry',
      };
    case 'network':
      return {
        message: phrase('The provider cannot be reached: check your network and the base URL, then try again.'),
        action: 'retry',
      };
    case 'timeout':
      return { message: phrase('The provider fell silent: try again, or choose another model.'), action: 'retry' };
    case 'cut_stream':
      return { message: phrase('The reply was cut off: what came is kept; try again.'), action: 'retry' };
    case 'output_limit':
      return {
        message: phrase('The model spent its whole output limit on thinking: try again with more room.'),
        action: 'retryWithRoom',
      };
    case 'empty_reply':
      return {
        message: phrase('The model returned an empty reply: try again, or choose another model.'),
        action: 'retry',
      };
    case 'malformed':
      return {
        message: phrase('The server answered in a form that is not understood: check the base URL, then try again.'),
        action: 'openSettings',
      };
    case 'bad_request':
      return {
        message: phrase('The provider refused the request: check the model and the base URL in the settings.'),
        action: 'openSettings',
      };
    case 'cancelled':
      return { message: phrase('Stopped: what came is kept; send again when you like.'), action: 'retry' };
  }
}

function whenToRetry(fault: Pick<ModelFault, 'retryAfterMs'>): Phrase {
  if (fault.retryAfterMs === undefined) return phrase('in a moment');
  const seconds = Math.max(1, Math.ceil(fault.retryAfterMs / 1000));
  if (seconds === 1) return phrase('in 1 second');
  if (seconds < 100) return phrase('in {0} seconds', seconds);
  // From 100 seconds on, so two minutes at least.
  return phrase('in {0} minutes', Math.ceil(seconds / 60));
}
