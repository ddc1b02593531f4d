import http from 'node:http';
import { connectionFault, replyFault, responseFault } from './fault-map.ts';
import { isRecord } from './json.ts';
import type { WatchedCall } from './watched-call.ts';

/** What goes with each request to a server: its headers, and the query of its base URL. */
export interface ServerAccess {
  readonly headers: Readonly<Record<string, string>>;
  readonly query?: string;
}

/**
 * Sends a request, as POST where it has a body, and resolves to the answer that the server gives at once.
 * @throws ModelFault for a server that cannot be reached or refuses
 */
export async function ask(
  url: string,
  { headers, query = '' }: ServerAccess,
  signal: AbortSignal,
  body?: string,
): Promise<Response> {
  const post = body !== undefined && { method: 'POST', body };
  const response = await fetch(`${url}${query}`, {
    ...post,
    headers: { ...(post && { 'content-type': 'application/json' }), ...headers },
    signal,
    // What is said goes to the address that the user has set, and no further.
    redirect: 'manual',
  }).catch((error: unknown) => {
    throw connectionFault(error);
  });
  if (!response.ok) throw responseFault(response, complaintIn(await response.text()));
  return response;
}

/**
 * What the body of a refusal says: a member `error` mostly; FastAPI says `detail`, vLLM before 0.10 and NIM put the
 * message at the top, Gemini sends a list.
 */
function complaintIn(text: string): unknown {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return text;
  }
  if (Array.isArray(body)) [body] = body as unknown[];
  if (!isRecord(body)) return text;
  if ('error' in body) return body['error'];
  const { detail, message } = body;
  if (typeof message === 'string') return body;
  return detail === undefined || typeof detail === 'string' ? (detail ?? text) : JSON.stringify(detail);
}

/** The lines of an answer as they come; each byte is a sign of life. */
export async function* linesOf(response: Response, call: WatchedCall): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let held = '';
  for await (const piece of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    call.heard();
    held += decoder.decode(piece, { stream: true });
    // A line may end with a carriage return whose line feed is still to come.
    const lines = held.split(/\r\n|\n|\r(?=[^])/);
    held = lines.pop() ?? '';
    yield* lines;
  }
  if (held !== '') yield held;
}

/** The end that OpenAI and its kin mark. */
export const DONE = '[DONE]';

/**
 * The events of a stream, parsed, up to the mark of its end, which comes last. Proxies keep a stream alive by events
 * without data, or with a comment in their place.
 * @throws ModelFault for an error that the server sends in place of an event
 */
export async function* eventsOf(response: Response, call: WatchedCall): AsyncGenerator {
  let data = '';
  for await (const line of linesOf(response, call)) {
    if (line.startsWith('data:')) data += line.slice('data:'.length).trimStart();
    if (line !== '') continue;
    const event = data;
    data = '';
    if (event.startsWith(DONE)) {
      yield DONE;
      return;
    }
    if (event !== '' && !event.startsWith(':')) yield withoutError(JSON.parse(event));
  }
}

/** An answer that is one JSON value. */
export async function valueOf(response: Response, call: WatchedCall): Promise<unknown> {
  let text = '';
  for await (const line of linesOf(response, call)) text += `${line}\n`;
  return withoutError(JSON.parse(text));
}

function withoutError(value: unknown): unknown {
  if (isRecord(value) && value['error']) throw replyFault(value['error']);
  return value;
}

/** The type of an answer, as its server names it. */
export const typeOf = (response: Response): string => response.headers.get('content-type') ?? '';

/** The address without its query and last slash. Undefined for what is no http address. */
export function parseBaseUrl(
  baseUrl: string,
): { readonly origin: string; readonly path: string; readonly query: string } | undefined {
  const parsed = URL.canParse(baseUrl.trim()) ? new URL(baseUrl.trim()) : null;
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return undefined;
  return { origin: parsed.origin, path: parsed.pathname.replace(/\/+$/, ''), query: parsed.search };
}

/** The editor gives `fetch` its proxy; in a terminal the environment names it (Node 24.14 and later). */
export function useProxyOfEnvironment(): void {
  if ('setGlobalProxyFromEnv' in http && typeof http.setGlobalProxyFromEnv === 'function') http.setGlobalProxyFromEnv();
}
