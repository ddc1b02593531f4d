import type { FaultView } from '../protocol/faults.ts';
import { parseHostMessage, type HostToPage, type PageToHost } from '../protocol/messages.ts';
import {
  parseAnswer,
  type AnswerOf,
  type PageRequest,
  type RequestOf,
  type RequestType,
} from '../protocol/requests.ts';
import { text } from './texts.ts';

export interface EditorApi {
  postMessage(message: PageToHost): void;
  getState(): unknown;
  setState(state: unknown): void;
}

type RequestResult = Extract<HostToPage, { type: 'answer' | 'refusal' }>;

/** The page's connection to the host: sends messages and requests, and validates everything that arrives. */
export class HostConnection {
  readonly post: (message: PageToHost) => void;
  readonly #pending = new Map<number, (result: RequestResult) => void>();
  #lastId = 0;

  constructor(api: Pick<EditorApi, 'postMessage'>) {
    this.post = (message) => api.postMessage(message);
  }

  /** Sends a request. Resolves to its answer or to why it was rejected; the reason is `failed` for an invalid answer. */
  async request<K extends RequestType>(
    type: K,
    fields: Omit<RequestOf<K>, 'type'>,
  ): Promise<{ readonly answer: AnswerOf<K> } | { readonly fault: FaultView }> {
    const id = ++this.#lastId;
    const result = new Promise<RequestResult>((resolve) => this.#pending.set(id, resolve));
    // The compiler can't relate the type to its fields in an object literal.
    this.post({ type: 'request', id, body: { type, ...fields } as unknown as PageRequest });
    const received = await result;
    if (received.type === 'refusal') return received;
    const parsed = parseAnswer(type, received.value);
    if (parsed.success) return { answer: parsed.output };
    const internalError = text('An internal error occurred in the chat. If the chat looks wrong, reload the window.');
    return { fault: { reason: 'failed', text: internalError } };
  }

  /** Validates a message from the host. Returns undefined if it's invalid or resolved a pending request. */
  receive(data: unknown): Exclude<HostToPage, RequestResult> | undefined {
    const parsed = parseHostMessage(data);
    if (!parsed.ok) {
      this.post({ type: 'pageFault', text: `refused ${parsed.problem}`.slice(0, 4_000) });
      return undefined;
    }
    const { message } = parsed;
    if (message.type !== 'answer' && message.type !== 'refusal') return message;
    this.#pending.get(message.id)?.(message);
    this.#pending.delete(message.id);
    return undefined;
  }
}
