import type { ChatRequest } from '../../app/ports.ts';
import { plainText, toTurns, type Turn } from '../../providers/turns.ts';
import { ModelFault, type FaultReason } from '../../app/fault.ts';
import { streamFault } from '../../providers/fault-map.ts';

/** One message as the editor's models take it: two roles, text alone. */
export interface EditorMessage {
  readonly role: 'user' | 'assistant';
  readonly text: string;
}

/**
 * A request as messages for a model of the editor. The editor's interface (1.105) knows no system role, so the system
 * prompt is the first user message, fenced. Calls of tools and their results are named in the text, not sent as parts:
 * most models behind the interface refuse such parts when no tools are offered. Images are named too, since the
 * interface has no part for them.
 */
export function editorMessages(request: Pick<ChatRequest, 'system' | 'messages'>): readonly EditorMessage[] {
  const system = request.system.filter((block) => block.trim() !== '').join('\n\n');
  const turns = toTurns(request.messages).map((turn): EditorMessage => ({ role: turn.role, text: turnText(turn) }));
  return system === '' ? turns : [{ role: 'user', text: fenced(system) }, ...turns];
}

/** The fence's name must not stand in the text itself, or the text could end the fence. */
function fenced(system: string): string {
  let name = 'instructions';
  for (let again = 2; system.includes(name); again += 1) name = `instructions-${again}`;
  return `<${name}>\n${system}\n</${name}>\n\nWhat stands between the marks holds for the whole conversation. The user wrote none of it; the conversation begins with the next message.`;
}

function turnText(turn: Turn): string {
  if (turn.role === 'assistant') {
    const calls = turn.calls.map((call) => `[call of ${call.name}: ${call.json}]`);
    return [turn.text, ...calls].filter((part) => part !== '').join('\n\n');
  }
  const results = turn.results.map(
    (result) => `[${result.isError ? 'failed call' : 'result of a call'}: ${result.text}]`,
  );
  const images = turn.parts.flatMap((part) => (part.type === 'image' ? [`[image of type ${part.mediaType}]`] : []));
  return [...results, plainText(turn).trim(), ...images].filter((part) => part !== '').join('\n\n');
}

/** Codes of the editor's `LanguageModelError`, which are the names of its makers, and names of GitHub Copilot's errors. */
const REASON_OF_NAME: Readonly<Record<string, FaultReason>> = {
  NoPermissions: 'forbidden',
  NotFound: 'model_not_found',
  // The editor's word for a quota that is used up, and Copilot's for too many requests.
  Blocked: 'quota',
  ChatQuotaExceeded: 'quota',
  ChatRateLimited: 'rate_limited',
};

/** Copilot's words for a quota, where the name of the error is lost. */
const QUOTA = /\byour\b[^.]{0,40}\bquota\b|\ballowance\b/i;

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
    if (code === 'Canceled' || next.name === 'Canceled' || next.name === 'AbortError') {
      return new ModelFault('cancelled', 'cancelled', { cause: error });
    }
    const name = [code, next.name].find((each) => Object.hasOwn(REASON_OF_NAME, each));
    words.push(`${name ?? code} ${next.message}`.trim());
    if (name !== undefined) {
      const { reason, retryAfterMs } = streamFault(undefined, next.message);
      const meant = name === 'Blocked' && reason === 'rate_limited' ? reason : REASON_OF_NAME[name]!;
      return new ModelFault(meant, words.join(': '), { retryAfterMs, cause: error });
    }
    next = next.cause;
  }
  const text = words.length > 0 ? words.join(': ') : String(error);
  if (NETWORK.test(text)) return new ModelFault('network', text, { cause: error });
  const { reason, message, retryAfterMs } = streamFault(undefined, text);
  const isQuota = reason === 'overloaded' && QUOTA.test(text);
  return new ModelFault(isQuota ? 'quota' : reason, message, { retryAfterMs, cause: error });
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}
