import { ModelFault, type FaultReason } from '../../app/fault.ts';
import { streamFault } from '../../providers/fault-map.ts';

/** Codes of the editor's `LanguageModelError`: the names of its makers. */
const REASON_OF_CODE: Readonly<Record<string, FaultReason>> = {
  NoPermissions: 'forbidden',
  NotFound: 'model_not_found',
  // The editor's word for a quota or a limit that is used up.
  Blocked: 'quota',
};

/** Node's codes and fetch's words for a provider that cannot be reached. */
const NETWORK = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|fetch failed)\b/i;

/** Causes are followed so far: the editor wraps the error of the extension, which wraps that of its SDK. */
const DEPTH = 4;

/**
 * What an error of the editor's models means. A code of the editor says it; an error from the model's own extension
 * (`Unknown`) is read by its words, as a provider's error inside a stream is.
 */
export function editorFault(error: unknown): ModelFault {
  if (error instanceof ModelFault) return error;
  const words: string[] = [];
  let next = error;
  for (let depth = 0; depth < DEPTH && next instanceof Error; depth += 1) {
    const code = codeOf(next);
    const reason = Object.hasOwn(REASON_OF_CODE, code) ? REASON_OF_CODE[code] : undefined;
    if (reason !== undefined) return new ModelFault(reason, `${code}: ${next.message}`, { cause: error });
    if (code === 'Canceled' || next.name === 'Canceled' || next.name === 'AbortError') {
      return new ModelFault('cancelled', 'cancelled', { cause: error });
    }
    words.push(`${code} ${next.message}`.trim());
    next = next.cause;
  }
  const text = words.length > 0 ? words.join(': ') : String(error);
  if (NETWORK.test(text)) return new ModelFault('network', text, { cause: error });
  const read = streamFault(undefined, text);
  return new ModelFault(read.reason, read.message, { cause: error });
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}
