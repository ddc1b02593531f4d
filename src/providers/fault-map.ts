import { ModelFault, type FaultReason } from '../app/fault.ts';
import { isRecord } from './json.ts';

interface ApiErrorShape extends Error {
  readonly status: number | undefined;
  readonly headers: Headers | undefined;
  readonly error: unknown;
}

/** The error classes of one SDK. Both SDKs come from one generator, so the same four carry the same meaning. */
export interface SdkErrors {
  readonly api: abstract new (...args: never) => ApiErrorShape;
  readonly aborted: abstract new (...args: never) => Error;
  readonly connection: abstract new (...args: never) => Error;
  readonly timedOut: abstract new (...args: never) => Error;
}

/** What a provider says about an error, wherever in its body it says so. */
interface Complaint {
  readonly status: number | undefined;
  readonly code: string;
  readonly message: string;
  /** Of Gemini: the quotas that are used up. */
  readonly details?: unknown;
}

/** Longer messages of servers are cut in the log: some echo the whole request. */
const MAX_MESSAGE = 300;

const QUOTA =
  /insufficient_quota|billing_(error|hard_limit|not_active)|credit balance is too low|exceeded your current quota|insufficient (credits|balance)/i;
/** A quota of a day, and one of zero, as Gemini names them: the pause that it asks for helps with neither. */
const LASTING = /per ?day|limit: 0\b/i;
/** How long to wait, in the words of OpenAI, Groq, Gemini, and GitHub Copilot. */
const WAIT = /\b(?:try again in|retry in|wait) ((?:\d[\d.]* ?[a-z]+ ?)+)/i;
const WAIT_PART = /(\d[\d.]{0,9}) ?(ms|[smhd])(?:ec(?:ond)?s?|in(?:ute)?s?|ours?|ays?)?(?![a-z])/gi;
const MS_OF: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const CONTEXT =
  /context_length_exceeded|exceed_context_size|model_context_window_exceeded|request_too_large|prompt is too long|request too large|maximum context length|context (window|size|length)|exceeds? the (model's )?(available )?context|too many (input )?tokens(?!, please wait)|maximum number of tokens allowed|input length and `?max_tokens`? exceed|context the overflows|exceeds? (the )?token limit/i;
/** The window in a refusal: of OpenAI and vLLM, Anthropic, llama.cpp and LM Studio, Gemini, Mistral. */
const STATED_WINDOW =
  /(?:context (?:length|size|window)(?: is| of)?(?: only)?|tokens allowed|tokens >|\d \+ \d+ >) \(?(\d{3,8})\b|\b(\d{3,8}) maximum context/i;
/** A request that is larger than what the account may send in a minute: shorter it may be sent, and waiting helps nothing. */
const OVER_RATE = /request too large.{1,200}tokens per m/i;
/** OpenRouter and its kin hold the credit for the whole output limit before they answer. */
const UNAFFORDABLE = /fewer max_tokens|can only afford/i;
const CONTENT = /content_filter|content_policy|responsibleaipolicy|content management policy|bio_policy|moderation/i;
const NO_MODEL =
  /model_not_found|deploymentnotfound|not_found_error|model\b[^.]{0,80}\b(not found|does not exist|is not available)/i;
const BAD_KEY = /invalid_api_key|authentication_error|incorrect api key/i;
const RATE = /rate[_ -]limit|too many (requests|tokens)/i;
const OVERLOADED = /overloaded|server_error|api_error|unavailable|timeout_error/i;

/**
 * Says what an error of an SDK, of fetch or of a stream means. The only place where either SDK's errors are read.
 * `secrets` are cut out of the message, since some servers repeat the key they refuse.
 */
export function toModelFault(error: unknown, sdk: SdkErrors, secrets: readonly string[] = []): ModelFault {
  if (error instanceof ModelFault)
    return holdsSecret(error, secrets) ? new ModelFault(error.reason, clean(error.message, secrets)) : error;
  const cause = holdsSecret(error, secrets) ? undefined : error;
  if (error instanceof sdk.aborted) return new ModelFault('cancelled', 'cancelled', { cause });
  if (error instanceof sdk.timedOut) return new ModelFault('timeout', clean(error.message, secrets), { cause });
  if (error instanceof sdk.connection) {
    return new ModelFault(connectionReason(error), clean(withCause(error), secrets), { cause });
  }
  if (error instanceof sdk.api) {
    return apiFault(error, secrets, cause);
  }
  if (error instanceof SyntaxError) return new ModelFault('malformed', 'the server sent what is not JSON');
  // Once the reply has begun, undici reports a lost connection as a bare `TypeError: terminated`.
  const message = error instanceof Error ? withCause(error) : String(error);
  const reason = /BODY_TIMEOUT|HEADERS_TIMEOUT|timed? ?out/i.test(message) ? 'timeout' : 'cut_stream';
  return new ModelFault(reason, clean(message, secrets), { cause });
}

/** The meaning of a response that refuses, where no SDK has read it; `error` is what its body says. */
export const responseFault = ({ status, headers, statusText }: Response, error: unknown): ModelFault =>
  apiFault({ status, headers, error, message: statusText }, []);

/** The same where the response says that all is well. */
export const replyFault = (error: unknown): ModelFault =>
  apiFault({ status: undefined, headers: undefined, error, message: 'the reply failed' }, []);

function apiFault(error: Omit<ApiErrorShape, 'name'>, secrets: readonly string[], cause?: unknown): ModelFault {
  const complaint = complaintOf(error);
  const retryAfterMs = retryAfter(error.headers, Date.now()) ?? statedWait(complaint.message);
  const reason = reasonOf(complaint);
  return new ModelFault(reason, clean(complaint.message, secrets), {
    contextWindow: reason === 'context_too_long' ? statedWindow(complaint.message) : undefined,
    retryAfterMs,
    status: complaint.status,
    cause,
  });
}

function statedWindow(message: string): number | undefined {
  const [, after, before] = STATED_WINDOW.exec(message) ?? [];
  const stated = after ?? before;
  return stated === undefined ? undefined : Number(stated);
}

/** The meaning of an error that a provider sent inside a stream, where no HTTP status tells it. */
export function streamFault(code: string | null | undefined, message: string): ModelFault {
  const complaint: Complaint = { status: undefined, code: code ?? '', message };
  const retryAfterMs = statedWait(message);
  return new ModelFault(reasonOf(complaint), clean(`${complaint.code} ${message}`.trim(), []), { retryAfterMs });
}

function statedWait(message: string): number | undefined {
  const [, stated] = WAIT.exec(message) ?? [];
  let ms = 0;
  for (const [, amount, unit] of stated?.matchAll(WAIT_PART) ?? []) ms += Number(amount) * MS_OF[unit!.toLowerCase()]!;
  return ms > 0 ? Math.ceil(ms) : undefined;
}

/**
 * Milliseconds that a response asks to wait: `retry-after-ms` (OpenAI), else `retry-after` in seconds or as an HTTP
 * date (RFC 9110, 10.2.3). `now` is milliseconds since the epoch. Undefined when the header is missing or unreadable.
 */
export function retryAfter(headers: Headers | undefined, now: number): number | undefined {
  const exact = headers?.get('retry-after-ms');
  if (exact != null && Number.isFinite(Number.parseFloat(exact))) return Math.max(0, Number.parseFloat(exact));
  const value = headers?.get('retry-after')?.trim();
  if (value === undefined || value === '') return undefined;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function reasonOf(complaint: Complaint): FaultReason {
  const { status } = complaint;
  const words = `${complaint.code} ${complaint.message}`;
  if (UNAFFORDABLE.test(words)) return 'unaffordable';
  if (status === 402) return 'quota';
  if (QUOTA.test(words)) return isPassing(complaint) ? 'rate_limited' : 'quota';
  if (OVER_RATE.test(words)) return 'over_rate';
  if (status === 401) return 'refused_key';
  // Only where a server may speak of its input: a 500 that names the context is a server in trouble.
  if (status === 413 || ((status === undefined || status < 500) && CONTEXT.test(words))) return 'context_too_long';
  if (CONTENT.test(complaint.code) || (status !== undefined && status < 500 && CONTENT.test(words))) {
    return 'content_refused';
  }
  switch (status) {
    case 403:
      return 'forbidden';
    case 404:
      return 'model_not_found';
    case 408:
      return 'timeout';
    case 409:
      return 'overloaded';
    case 429:
      return 'rate_limited';
    case undefined:
      return reasonOfWords(words);
    default:
      if (status >= 500) return 'overloaded';
      if (NO_MODEL.test(words)) return 'model_not_found';
      if (BAD_KEY.test(words)) return 'refused_key';
      return 'bad_request';
  }
}

/** Gemini says of the limit of a minute, too, that the quota is exceeded. */
const isPassing = ({ message, details }: Complaint): boolean =>
  statedWait(message) !== undefined && !LASTING.test(`${message} ${JSON.stringify(details)}`);

function reasonOfWords(words: string): FaultReason {
  if (RATE.test(words)) return 'rate_limited';
  if (BAD_KEY.test(words)) return 'refused_key';
  if (/permission/i.test(words)) return 'forbidden';
  if (NO_MODEL.test(words)) return 'model_not_found';
  if (OVERLOADED.test(words)) return 'overloaded';
  if (/invalid/i.test(words)) return 'bad_request';
  // A server that gives up in mid-reply for a reason of its own: another try is what helps.
  return 'overloaded';
}

function complaintOf(error: Omit<ApiErrorShape, 'name'>): Complaint {
  // OpenAI hands over the inner object, Anthropic the whole body, Ollama a bare string.
  let body: unknown = error.error;
  if (isRecord(body) && 'error' in body) body = body['error'];
  if (!isRecord(body)) {
    return { status: error.status, code: '', message: typeof body === 'string' ? body : error.message };
  }
  const { code, type, message, metadata, details } = body;
  const text = typeof message === 'string' ? message : error.message;
  const codes = [code, type].filter((part) => typeof part === 'string');
  // OpenRouter sends the HTTP status of a fault inside the stream as a number.
  const status = error.status ?? (typeof code === 'number' ? code : undefined);
  const moderated = isRecord(metadata) && Array.isArray(metadata['reasons']) ? ['moderation'] : [];
  const summary = [...codes, ...moderated].join(' ');
  return { status, code: summary, message: summary === '' ? text : `${summary}: ${text}`, details };
}

function connectionReason(error: Error): FaultReason {
  return /ETIMEDOUT|CONNECT_TIMEOUT|HEADERS_TIMEOUT|BODY_TIMEOUT/.test(withCause(error)) ? 'timeout' : 'network';
}

/** The message with those of its causes: fetch says only "fetch failed" and hides the reason below. */
function withCause(error: Error): string {
  const parts: string[] = [];
  let next: unknown = error;
  for (let depth = 0; depth < 4 && next instanceof Error; depth += 1) {
    const code = 'code' in next && typeof next.code === 'string' ? `${next.code} ` : '';
    parts.push(`${code}${next.message}`);
    next = next.cause;
  }
  return parts.join(': ');
}

/** Whether an error repeats a secret; such a one is not kept as a cause, since causes are printed with stacks. */
function holdsSecret(error: unknown, secrets: readonly string[]): boolean {
  if (!(error instanceof Error)) return false;
  const body = 'error' in error ? JSON.stringify(error.error ?? '') : '';
  return secrets.some((secret) => isSecret(secret) && (body.includes(secret) || error.message.includes(secret)));
}

/** Shorter keys are placeholders ("token") for servers that ask for any, and parts of the words of a complaint. */
const MIN_SECRET_CHARS = 8;
const isSecret = (key: string): boolean => key.length >= MIN_SECRET_CHARS;

function clean(message: string, secrets: readonly string[]): string {
  let text = message;
  for (const secret of secrets) if (isSecret(secret)) text = text.replaceAll(secret, '•••');
  text = text.replace(/\s+/g, ' ').trim();
  return text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE)}…` : text;
}
