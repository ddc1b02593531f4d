import type { Disturbance } from './wire-server.ts';

/** Failures of a network or a provider during a request. All kinds are about equally frequent. */
export const FAULTS: readonly Disturbance[] = [
  { kind: 'refuse', status: 429, refusal: { type: 'rate_limit_error', retryAfter: '0.01' } },
  { kind: 'refuse', status: 429, refusal: { type: 'rate_limit_error' } },
  { kind: 'refuse', status: 500, refusal: { type: 'api_error' } },
  { kind: 'refuse', status: 529, refusal: { type: 'overloaded_error' } },
  { kind: 'refuse', status: 401, refusal: { type: 'authentication_error' } },
  { kind: 'refuse', status: 403, refusal: { type: 'permission_error' } },
  { kind: 'refuse', status: 404, refusal: { type: 'not_found_error' } },
  { kind: 'refuse', status: 400, refusal: { message: 'prompt is too long' } },
  { kind: 'reset' },
  { kind: 'silence', afterText: 0 },
  { kind: 'silence', afterText: 3 },
  { kind: 'cut', afterText: 0 },
  { kind: 'cut', afterText: 2 },
  { kind: 'end', afterText: 0 },
  { kind: 'end', afterText: 4 },
  { kind: 'garbage', afterText: 0 },
  { kind: 'garbage', afterText: 1 },
  { kind: 'reply', status: 200, type: 'application/json', body: '{"broken' },
  { kind: 'reply', status: 502, type: 'text/html', body: '<html>Bad gateway</html>' },
  { kind: 'reply', status: 200, type: 'text/event-stream', body: '' },
];
