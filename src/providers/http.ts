import http from 'node:http';
import { ModelFault } from '../app/fault.ts';
import { isObject, tryParse, type JsonObject } from '../core/text/json-value.ts';
import { connectionFault, faultIn, nonApiFault } from './provider-errors.ts';

/**
 * `fetch` with errors in the format that the SDKs read: they expect a member `error` and ignore other bodies. FastAPI
 * uses `detail`, vLLM before 0.10 and NIM a top-level message, and Gemini a list.
 */
const serverFetch: typeof fetch = async (input, init) => {
  // Messages are only sent to the configured address, so redirects aren't followed.
  const response = await fetch(input, { ...init, redirect: 'manual' });
  if (response.ok) return response;
  const text = await response.text();
  const { status, headers } = response;
  const rest = new Headers(headers);
  // The body is already decoded, and may have another length.
  rest.delete('content-encoding');
  rest.delete('content-length');
  const body = tryParse(text);
  // A body that isn't JSON keeps its type, which `nonApiFault` reports.
  if (body !== undefined) rest.set('content-type', 'application/json');
  return new Response(JSON.stringify({ error: errorIn(body, text) }), { status, headers: rest });
};

/** The JSON object at an endpoint; empty if the server lacks it. Throws `ModelFault` if there is no connection. */
export async function fetchServerInfo(url: string, init: RequestInit): Promise<JsonObject> {
  const response = await serverFetch(url, init).catch((error: unknown) => {
    throw connectionFault(error);
  });
  const answer: unknown = response.ok ? await response.json().catch(() => undefined) : undefined;
  return isObject(answer) ? answer : {};
}

/**
 * Whether a response is a single JSON object instead of an event stream, and a response that can still be read from its
 * beginning. Looks at the content, because gateways label each kind as the other one (openclaw/openclaw#96497).
 *
 * @throws ModelFault `malformed` if it's neither, such as a web page
 */
export async function detectJson(original: Response): Promise<{ isJson: boolean; response: Response }> {
  const { body, headers, status } = original;
  const [peeked, rest] = body?.tee() ?? [];
  const begin = peeked === undefined ? '' : await beginningOf(peeked);
  const response = new Response(rest ?? null, { headers, status });
  const type = headers.get('content-type') ?? '';
  if (begin.startsWith('{')) return { isJson: true, response };
  // An empty response is read as an event stream, which is then reported as cut off.
  if (FIELD.test(begin) || (begin === '' && /^$|event-stream/.test(type))) return { isJson: false, response };
  throw nonApiFault(original, begin);
}

/** The beginning of an event stream: the name of a field, or a comment. */
const FIELD = /^(data|event|id|retry)?:/;

async function beginningOf(body: ReadableStream<Uint8Array>): Promise<string> {
  const texts: AsyncIterable<string> = body.pipeThrough(new TextDecoderStream());
  let begin = '';
  for await (const text of texts) {
    begin = (begin + text).trimStart();
    if (begin.length >= 'event:'.length) break;
  }
  return begin;
}

/** Throws `ModelFault` if a JSON object is an error or lacks the list `name`, which every reply has. */
export function checkReply(reply: unknown, name: 'choices' | 'output'): void {
  const fault = faultIn(reply);
  if (fault) throw fault;
  if (!isObject(reply) || !Array.isArray(reply[name]))
    throw new ModelFault('malformed', 'the server answered with JSON that is no reply');
}

export const CLIENT_OPTIONS = {
  // `withRetries` retries instead, visibly for the user.
  maxRetries: 0,
  // `WatchedCall` ends silent calls, so the SDK's own timeout only has to be longer.
  timeout: 3_600_000,
  // The SDK's log would contain the text of messages.
  logLevel: 'off',
  fetch: serverFetch,
} as const;

function errorIn(parsed: unknown, text: string): unknown {
  const body: unknown = Array.isArray(parsed) ? parsed[0] : parsed;
  if (!isObject(body)) return { message: text };
  if ('error' in body) return body['error'];
  const { detail, message } = body;
  if (typeof message === 'string') return body;
  return { message: detail === undefined ? text : typeof detail === 'string' ? detail : JSON.stringify(detail) };
}

/**
 * Creates an SDK's client without the headers that the SDK reads from environment variables. These headers are meant
 * for other programs and may contain a gateway's secret, which would be sent to the configured address.
 */
export function withoutCustomHeaders<T>(make: () => T): T {
  const { OPENAI_CUSTOM_HEADERS, ANTHROPIC_CUSTOM_HEADERS, ...env } = process.env;
  const real = process.env;
  if (OPENAI_CUSTOM_HEADERS === undefined && ANTHROPIC_CUSTOM_HEADERS === undefined) return make();
  process.env = env;
  try {
    return make();
  } finally {
    process.env = real;
  }
}

/** Uses the proxy in the environment (Node 24.14 and later). In VS Code, `fetch` already uses the editor's proxy. */
export function useProxyOfEnvironment(): void {
  if ('setGlobalProxyFromEnv' in http && typeof http.setGlobalProxyFromEnv === 'function') http.setGlobalProxyFromEnv();
}
