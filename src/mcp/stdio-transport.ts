import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import {
  INVALID_REQUEST,
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  PARSE_ERROR,
  parseJSONRPCMessage,
  serializeMessage,
  type JSONRPCMessage,
  type RequestId,
  type Transport,
} from '@modelcontextprotocol/server';
import { isObject, tryParse } from '../core/text/json-value.ts';

/** Maximum length of a message in UTF-16 units, as in the protocol's library. */
const MAX_LINE_UNITS = 10 << 20;

/** How long pending requests are still answered after the input has ended, in ms. The client may be gone already. */
const MAX_FINISH_MS = 30_000;

/** A subscription is a request that is only answered when the connection ends. */
const SUBSCRIPTION = 'subscriptions/listen';

/**
 * MCP over two streams, one JSON message per line. Unlike the library's transport, it answers invalid messages with an
 * error, and it answers all pending requests when the input ends, for example if a file is piped into it.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #closing = new AbortController();
  readonly closed = once(this.#closing.signal, 'abort');
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #pending = new Set<RequestId>();
  #line = '';
  /** Whether the rest of a line that is too long is skipped. */
  #isSkipping = false;
  #hasEnded = false;
  #finishTimer: NodeJS.Timeout | undefined;

  constructor(input: Readable, output: Writable) {
    this.#input = input;
    this.#output = output;
  }

  start(): Promise<void> {
    this.#input.setEncoding('utf8');
    this.#input.on('data', (chunk: string) => this.#receive(chunk));
    this.#input.on('error', (error) => this.onerror?.(error));
    this.#input.on('close', () => this.#end());
    this.#input.on('end', () => this.#end());
    return Promise.resolve();
  }

  send(message: JSONRPCMessage): Promise<void> {
    const isAnswer = isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message);
    const sent = new Promise<void>((resolve, reject) => {
      this.#output.write(serializeMessage(message), (error) => (error ? reject(error) : resolve()));
    });
    if (isAnswer && message.id !== undefined) this.#settle(message.id);
    return sent;
  }

  close(): Promise<void> {
    if (!this.#closing.signal.aborted) {
      this.#closing.abort();
      clearTimeout(this.#finishTimer);
      this.#input.removeAllListeners('data').pause();
      this.onclose?.();
    }
    return Promise.resolve();
  }

  #receive(chunk: string): void {
    let from = 0;
    for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', from)) {
      const line = this.#line + chunk.slice(from, end);
      this.#line = '';
      from = end + 1;
      if (!this.#isSkipping) this.#receiveLine(line);
      this.#isSkipping = false;
    }
    this.#line += chunk.slice(from);
    if (this.#line.length <= MAX_LINE_UNITS) return;
    this.#line = '';
    if (!this.#isSkipping) this.#reject(null, INVALID_REQUEST, 'The message is too long.');
    this.#isSkipping = true;
  }

  #receiveLine(line: string): void {
    if (line.trim() === '') return;
    const value = tryParse(line);
    if (value === undefined) return this.#reject(null, PARSE_ERROR, 'The message isn’t valid JSON.');
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(value);
    } catch {
      const id = isObject(value) && (typeof value['id'] === 'string' || typeof value['id'] === 'number') && value['id'];
      return this.#reject(id === false ? null : id, INVALID_REQUEST, 'The message isn’t a valid JSON-RPC 2.0 message.');
    }
    if (isJSONRPCRequest(message) && message.method !== SUBSCRIPTION) this.#pending.add(message.id);
    this.onmessage?.(message);
    if (!isJSONRPCNotification(message) || message.method !== 'notifications/cancelled') return;
    // A canceled request isn't answered.
    const id = message.params?.['requestId'];
    if (typeof id === 'string' || typeof id === 'number') this.#settle(id);
  }

  /** Answers a message with an error. `id` is null if the message has none, as JSON-RPC requires. */
  #reject(id: RequestId | null, code: number, message: string): void {
    const answer = `${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })}\n`;
    this.#output.write(answer, (error) => error && this.onerror?.(error));
  }

  #settle(id: RequestId): void {
    this.#pending.delete(id);
    if (this.#hasEnded && this.#pending.size === 0) void this.close();
  }

  #end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    if (this.#line !== '' && !this.#isSkipping) this.#receiveLine(this.#line);
    if (this.#pending.size === 0) void this.close();
    else this.#finishTimer = setTimeout(() => void this.close(), MAX_FINISH_MS);
  }
}
