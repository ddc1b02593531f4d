import { RequestFault } from '../protocol/faults.ts';
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

  /** Sends a request. Rejects with a `RequestFault`, whose reason is `failed` if the answer is invalid. */
  async request<K extends RequestType>(type: K, fields: Omit<RequestOf<K>, 'type'>): Promise<AnswerOf<K>> {
    const id = ++this.#lastId;
    const result = new Promise<RequestResult>((resolve) => this.#pending.set(id, resolve));
    // The compiler can't relate the type to its fields in an object literal.
    this.post({ type: 'request', id, body: { type, ...fields } as unknown as PageRequest });
    const received = await result;
    if (received.type === 'refusal') {
      const { fault } = received;
      throw new RequestFault(fault.reason, fault.text, fault);
    }
    try {
      return parseAnswer(type, received.value);
    } catch {
      throw new RequestFault(
        'failed',
        text('An internal error occurred in the chat. If the chat looks wrong, reload the window.'),
      );
    }
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
