import { phrase, type Phrase } from '../core/text/phrase.ts';
import { waitPhrase } from '../core/text/wait-phrase.ts';
import type { FaultReason, ModelFault } from './fault.ts';

export type FaultAction = 'setKey' | 'chooseModel' | 'compress' | 'retry' | 'retryWithRoom' | 'openSettings';

/** A fault as shown to the user: what happened and what to do, with a button for it. */
export interface FaultText {
  readonly message: Phrase;
  readonly action: FaultAction;
  /** The provider's own message about a rejected request. */
  readonly details?: Phrase;
  /** The wait until a retry in ms, which is the value of `message`. */
  readonly retryAfterMs?: number;
}

const SOON = waitPhrase(0);

const INTERRUPTED: FaultText = { action: 'retry', message: phrase('The response was interrupted. Try again.') };

/** Messages by reason. The placeholder is the time until a retry. */
const TEXTS: Readonly<Record<FaultReason, FaultText>> = {
  no_key: {
    action: 'setKey',
    message: phrase('No API key is set for this provider. Set an API key or select another model.'),
  },
  refused_key: { action: 'setKey', message: phrase('The provider rejected the API key. Set a valid API key.') },
  forbidden: {
    action: 'chooseModel',
    message: phrase(
      'You don’t have access to this model. Check your API key or select another model. For a VS Code model, allow Threadkeeper to use it.',
    ),
  },
  model_not_found: {
    action: 'chooseModel',
    message: phrase('The provider doesn’t offer this model. Select another model or check the base URL.'),
  },
  rate_limited: { action: 'retry', message: phrase('Rate limit reached. Try again {0}.', SOON) },
  quota: {
    action: 'chooseModel',
    message: phrase('Your provider quota or credit is used up. Check your plan and billing, or select another model.'),
  },
  unaffordable: {
    action: 'openSettings',
    message: phrase(
      'Your provider credit doesn’t cover the output limit. Add credit or select another model. For chat, you can also reduce the reserved tokens or the reasoning effort.',
    ),
  },
  over_rate: {
    action: 'compress',
    message: phrase(
      'The request exceeds your account’s tokens-per-minute limit. Compress the history or select another model.',
    ),
  },
  context_too_long: {
    action: 'chooseModel',
    message: phrase(
      'The request exceeds the model’s context window. Shorten the message, remove attachments, or select a model with a larger context window.',
    ),
  },
  content_refused: {
    action: 'chooseModel',
    message: phrase('The provider declined to respond to this message. Rephrase it or select another model.'),
  },
  overloaded: {
    action: 'retry',
    message: phrase('The provider reported an error or is overloaded. Try again {0}, or select another model.', SOON),
  },
  network: {
    action: 'retry',
    message: phrase('Couldn’t connect to the provider. Check your network connection and the base URL, and try again.'),
  },
  certificate: {
    action: 'retry',
    message: phrase(
      'Couldn’t verify the server’s certificate. Check that it’s valid for the base URL and trusted by the operating system, and reload the window.',
    ),
  },
  proxy_authentication: {
    action: 'retry',
    message: phrase(
      'The proxy requires authentication. Check the settings http.proxy and http.proxyAuthorization, and try again.',
    ),
  },
  invalid_base_url: {
    action: 'openSettings',
    message: phrase('The base URL is missing or invalid. Set a base URL that begins with http:// or https://.'),
  },
  timeout: {
    action: 'retry',
    message: phrase(
      'The provider isn’t responding. Check your network connection, try again, or select another model.',
    ),
  },
  cut_stream: INTERRUPTED,
  output_limit: {
    action: 'retryWithRoom',
    message: phrase('The model used up its output limit on reasoning. Try again with a higher limit.'),
  },
  highest_output_limit: {
    action: 'chooseModel',
    message: phrase(
      'The model used up its output limit on reasoning. Select another model. For chat, you can also lower the reasoning effort.',
    ),
  },
  empty_reply: {
    action: 'retry',
    message: phrase('The model returned an empty response. Try again or select another model.'),
  },
  malformed: {
    action: 'openSettings',
    message: phrase('Unexpected response from the server. Check the base URL and try again.'),
  },
  bad_request: {
    action: 'openSettings',
    message: phrase('The provider rejected the request. Select another model or check the base URL.'),
  },
  // Never shown: a response that the user stopped isn't reported as a fault.
  cancelled: INTERRUPTED,
};

export function describeFault({ reason, retryAfterMs, contentType, details }: ModelFault): FaultText {
  const { action, message } = TEXTS[reason];
  if (details !== undefined) return { action, message, details: phrase('Provider’s message: {0}', details) };
  if (contentType !== undefined)
    return {
      action,
      message: phrase('The server responded with {0} instead of a model’s response. Check the base URL.', contentType),
    };
  if (message.values.length === 0 || retryAfterMs === undefined) return { action, message };
  return { action, message: { ...message, values: [waitPhrase(retryAfterMs)] }, retryAfterMs };
}
