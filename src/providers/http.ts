import http from 'node:http';
import { isRecord } from './json.ts';

/**
 * `fetch`, with errors in the one form that the SDKs read: they look for a member `error` and drop every other body.
 * FastAPI says `detail`, vLLM before 0.10 and NIM put the message at the top, Gemini sends a list.
 */
export const serverFetch: typeof fetch = async (input, init) => {
  // Messages go to the address that the user has set, and no further.
  const response = await fetch(input, { ...init, redirect: 'manual' });
  if (response.ok) return response;
  const text = await response.text();
  const { status, headers } = response;
  const rest = new Headers(headers);
  // The body is decoded by now, and may have another length.
  rest.delete('content-encoding');
  rest.delete('content-length');
  return new Response(JSON.stringify({ error: complaintIn(text) }), { status, headers: rest });
};

/** What the clients of both SDKs are made with. */
export const CLIENT_OPTIONS = {
  // Retries are `retrying`'s, in sight of the user.
  maxRetries: 0,
  // The watch over silence ends a call, never the SDK's own timer, which must only be longer.
  timeout: 3_600_000,
  // The SDK's log would hold the text of messages.
  logLevel: 'off',
  fetch: serverFetch,
} as const;

function complaintIn(text: string): unknown {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return { message: text };
  }
  if (Array.isArray(body)) [body] = body as unknown[];
  if (!isRecord(body)) return { message: text };
  if ('error' in body) return body['error'];
  const { detail, message } = body;
  if (typeof message === 'string') return body;
  return { message: detail === undefined ? text : typeof detail === 'string' ? detail : JSON.stringify(detail) };
}

/**
 * Makes an SDK's client without the headers that another program's user has put into the environment for it: a gateway's
 * secret would be sent to whatever address is set here.
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

/** The address without its query and last slash. Undefined for what is no http address. */
export function parseBaseUrl(
  baseUrl: string,
): { readonly origin: string; readonly path: string; readonly query: Record<string, string> } | undefined {
  const parsed = URL.parse(baseUrl.trim());
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return undefined;
  return {
    origin: parsed.origin,
    path: parsed.pathname.replace(/\/+$/, ''),
    query: Object.fromEntries(parsed.searchParams),
  };
}

/** The editor gives `fetch` its proxy; in a terminal the environment names it (Node 24.14 and later). */
export function useProxyOfEnvironment(): void {
  if ('setGlobalProxyFromEnv' in http && typeof http.setGlobalProxyFromEnv === 'function') http.setGlobalProxyFromEnv();
}
