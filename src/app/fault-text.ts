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
        message: phrase('No API key is set for this provider. Set an API key or select another model.'),
        action: 'setKey',
      };
    case 'refused_key':
      return { message: phrase('The provider rejected the API key. Set a valid API key.'), action: 'setKey' };
    case 'forbidden':
      return {
        message: phrase('This API key doesn’t have access to this model. Select another model.'),
        action: 'chooseModel',
      };
    case 'model_not_found':
      return {
        message: phrase('The provider doesn’t offer this model. Select another model or check the base URL.'),
        action: 'chooseModel',
      };
    case 'rate_limited':
      return {
        message: phrase('Rate limit reached. Try again {0}.', whenToRetry(fault)),
        action: 'retry',
      };
    case 'quota':
      return {
        message: phrase('Your provider account has no credit left. Add credit or select another model.'),
        action: 'chooseModel',
      };
    case 'unaffordable':
      return {
        message: phrase(
          'Your provider credit doesn’t cover the output limit. Reserve fewer tokens for the response or add credit.',
        ),
        action: 'openSettings',
      };
    case 'over_rate':
      return {
        message: phrase(
          'The request exceeds your account’s tokens-per-minute limit. Compress the history or select another model.',
        ),
        action: 'compress',
      };
    case 'context_too_long':
      return {
        message: phrase('The session exceeds the model’s context window. Compress the history and send again.'),
        action: 'compress',
      };
    case 'content_refused':
      return {
        message: phrase('The provider declined to respond to this message. Rephrase it or select another model.'),
        action: 'chooseModel',
      };
    case 'overloaded':
      return {
        message: phrase('The provider is overloaded or has an outage. Try again {0}.', whenToRetry(fault)),
        action: 'retry',
      };
    case 'network':
      return {
        message: phrase(
          'Couldn’t connect to the provider. Check your network connection and the base URL, and try again.',
        ),
        action: 'retry',
      };
    case 'timeout':
      return {
        message: phrase('The provider stopped responding. Try again or select another model.'),
        action: 'retry',
      };
    case 'cut_stream':
      return {
        message: phrase('The response was interrupted. The partial response was kept. Try again.'),
        action: 'retry',
      };
    case 'output_limit':
      return {
        message: phrase('The model used its whole output limit for reasoning. Try again with a higher limit.'),
        action: 'retryWithRoom',
      };
    case 'highest_output_limit':
      return {
        message: phrase(
          'The model used its whole output limit for reasoning. Lower the reasoning effort or select another model.',
        ),
        action: 'chooseModel',
      };
    case 'empty_reply':
      return {
        message: phrase('The model returned an empty response. Try again or select another model.'),
        action: 'retry',
      };
    case 'malformed':
      return {
        message: phrase('Unexpected response from the server. Check the base URL and try again.'),
        action: 'openSettings',
      };
    case 'bad_request':
      return {
        message: phrase('The provider rejected the request. Check the model and the base URL in Settings.'),
        action: 'openSettings',
      };
    case 'cancelled':
      return { message: phrase('Stopped. The partial response was kept.'), action: 'retry' };
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
