import { ModelFault, type FaultReason } from '../app/fault.ts';
import { isRecord } from './json.ts';

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

/** The meaning of a response that refuses; `said` is what its body says of it. */
export function responseFault({ status, headers, statusText }: Response, said: unknown): ModelFault {
  return complaintFault(complaintOf(said, status, statusText), retryAfter(headers, Date.now()));
}

/** The meaning of what a server says went wrong where the response says that all is well. */
export const replyFault = (said: unknown): ModelFault =>
  complaintFault(complaintOf(said, undefined, 'the reply failed'));

/** The meaning of an error that a provider sent inside a stream, where no HTTP status tells it. */
export const streamFault = (code: string | null | undefined, message: string): ModelFault =>
  complaintFault({ status: undefined, code: code ?? '', message: `${code ?? ''} ${message}`.trim() });

function complaintFault(complaint: Complaint, retryAfterMs = statedWait(complaint.message)): ModelFault {
  const { message, status } = complaint;
  const reason = reasonOf(complaint);
  const contextWindow = reason === 'context_too_long' ? statedWindow(message) : undefined;
  return new ModelFault(reason, message, { contextWindow, retryAfterMs, status });
}

/** The meaning of an error of `fetch` before there was a response. */
export function connectionFault(error: unknown): ModelFault {
  const message = withCauses(error);
  const reason = /ETIMEDOUT|CONNECT_TIMEOUT|HEADERS_TIMEOUT|BODY_TIMEOUT/.test(message) ? 'timeout' : 'network';
  return new ModelFault(reason, message, { cause: error });
}

/** Says what whatever was thrown while a reply was read means. */
export function toModelFault(error: unknown): ModelFault {
  if (error instanceof ModelFault) return error;
  if (error instanceof SyntaxError) return new ModelFault('malformed', 'the server sent what is not JSON');
  // Once the reply has begun, undici reports a lost connection as a bare `TypeError: terminated`.
  const message = withCauses(error);
  const reason = /BODY_TIMEOUT|HEADERS_TIMEOUT|timed? ?out/i.test(message) ? 'timeout' : 'cut_stream';
  return new ModelFault(reason, message, { cause: error });
}

/** Shorter keys are placeholders ("token") for servers that ask for any, and parts of the words of a complaint. */
const MIN_SECRET_CHARS = 8;

/** The fault as it may be logged: short, and without the key, which some servers repeat. */
export function forLog(fault: ModelFault, key = ''): ModelFault {
  const { reason, retryAfterMs, status, contextWindow } = fault;
  const isTold = key.length >= MIN_SECRET_CHARS && fault.message.includes(key);
  const message = (isTold ? fault.message.replaceAll(key, '•••') : fault.message).replace(/\s+/g, ' ').trim();
  const text = message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message;
  // Causes are printed with stacks.
  return new ModelFault(reason, text, { retryAfterMs, status, contextWindow, cause: isTold ? undefined : fault.cause });
}

function statedWindow(message: string): number | undefined {
  const [, after, before] = STATED_WINDOW.exec(message) ?? [];
  const stated = after ?? before;
  return stated === undefined ? undefined : Number(stated);
}

function statedWait(message: string): number | undefined {
  const [, stated] = WAIT.exec(message) ?? [];
  let ms = 0;
  for (const [, amount, unit] of stated?.matchAll(WAIT_PART) ?? []) ms += Number(amount) * MS_OF[unit!.toLowerCase()]!;
  return ms > 0 ? Math.ceil(ms) : undefined;
}

/**
 * Milliseconds that a response asks to wait: `retry-after-ms` (OpenAI), else `retry-after` in seconds or as an HTTP
 * date (RFC 9110, 10.2.3). `now` is milliseconds since the epoch. Undefined when nothing readable was said.
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
  if (CONTENT.test(complaint.code) || (status !== undefined && status < 500 && CONTENT.test(words)))
    return 'content_refused';
  if (status === undefined) return reasonOfWords(words);
  return REASON_OF_STATUS[status] ?? (status >= 500 ? 'overloaded' : reasonOfRequest(words));
}

const REASON_OF_STATUS: Readonly<Record<number, FaultReason>> = {
  403: 'forbidden',
  404: 'model_not_found',
  408: 'timeout',
  409: 'overloaded',
  429: 'rate_limited',
};

function reasonOfRequest(words: string): FaultReason {
  if (NO_MODEL.test(words)) return 'model_not_found';
  return BAD_KEY.test(words) ? 'refused_key' : 'bad_request';
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

function complaintOf(said: unknown, status: number | undefined, otherwise: string): Complaint {
  if (!isRecord(said)) return { status, code: '', message: typeof said === 'string' && said !== '' ? said : otherwise };
  const { code, type, message, metadata, details } = said;
  const moderated = isRecord(metadata) && Array.isArray(metadata['reasons']) ? 'moderation' : undefined;
  const summary = [code, type, moderated].filter((part) => typeof part === 'string').join(' ');
  const text = typeof message === 'string' ? message : otherwise;
  return {
    // OpenRouter sends the HTTP status of a fault inside the stream as a number.
    status: status ?? (typeof code === 'number' ? code : undefined),
    code: summary,
    message: summary === '' ? text : `${summary}: ${text}`,
    details,
  };
}

/** The message with those of its causes: fetch says only "fetch failed" and hides the reason below. */
function withCauses(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const parts: string[] = [];
  let next: unknown = error;
  for (let depth = 0; depth < 4 && next instanceof Error; depth += 1) {
    const code = 'code' in next && typeof next.code === 'string' ? `${next.code} ` : '';
    parts.push(`${code}${next.message}`);
    next = next.cause;
  }
  return parts.join(': ');
}
