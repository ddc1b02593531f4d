import { ModelFault, type FaultReason } from '../../app/fault.ts';
import { errorCode } from '../../core/text/error-details.ts';
import { maskedMessage, streamFault } from '../../providers/provider-errors.ts';

/** Codes of VS Code's `LanguageModelError` and names of GitHub Copilot's errors. */
const REASON_OF_NAME: Readonly<Record<string, FaultReason>> = {
  NoPermissions: 'forbidden',
  NotFound: 'model_not_found',
  // VS Code's code for an exceeded quota and Copilot's for too many requests.
  Blocked: 'quota',
  ChatQuotaExceeded: 'quota',
  ChatRateLimited: 'rate_limited',
};

/** Copilot's messages about quotas, for errors whose name is lost. */
const QUOTA = /\byour\b[^.]{0,40}\bquota\b|\ballowance\b/i;

/** Node's error codes and fetch's messages for an unreachable provider. */
const NETWORK = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|fetch failed)\b/i;

/** Copilot's message for a reply without text, for example one of thinking only (microsoft/vscode#253126). */
const EMPTY = /response contained no choices|no response was returned/i;

/** Maximum depth of causes. VS Code wraps the extension's error, which wraps that of its SDK. */
const MAX_DEPTH = 4;

/**
 * Maps an error of VS Code's language model API to a fault. Errors of VS Code are recognized by their code, and some of
 * Copilot's by their name. All other errors of the model's extension have the code `Unknown`, and are recognized by
 * their message, like errors in a provider's stream.
 */
export function vsCodeModelFault(error: unknown): ModelFault {
  if (error instanceof ModelFault) return error;
  const texts: string[] = [];
  let innermost = String(error);
  let cause = error;
  for (let depth = 0; depth < MAX_DEPTH && cause instanceof Error; depth += 1) {
    const code = errorCode(cause) ?? '';
    if (code === 'Canceled' || cause.name === 'Canceled' || cause.name === 'AbortError') {
      return new ModelFault('cancelled', 'cancelled', { cause: error });
    }
    const name = [code, cause.name].find((each) => Object.hasOwn(REASON_OF_NAME, each));
    texts.push(`${name ?? code} ${cause.message}`.trim());
    if (name !== undefined) {
      const { reason, retryAfterMs } = streamFault(undefined, cause.message);
      const mapped = name === 'Blocked' && reason === 'rate_limited' ? reason : REASON_OF_NAME[name]!;
      return new ModelFault(mapped, texts.join(': '), { retryAfterMs, cause: error });
    }
    innermost = cause.message;
    cause = cause.cause;
  }
  const text = texts.length > 0 ? texts.join(': ') : String(error);
  if (NETWORK.test(text)) return new ModelFault('network', text, { cause: error });
  if (EMPTY.test(text)) return new ModelFault('empty_reply', text, { cause: error });
  const { reason, message, retryAfterMs, details } = streamFault(undefined, text);
  const isQuota = reason === 'overloaded' && QUOTA.test(text);
  const ownMessage = details === undefined ? undefined : maskedMessage(innermost);
  return new ModelFault(isQuota ? 'quota' : reason, message, { retryAfterMs, details: ownMessage, cause: error });
}
