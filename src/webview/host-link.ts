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

/** VS Code's API in the page. */
export interface EditorApi {
  postMessage(message: PageToHost): void;
  getState(): unknown;
  setState(state: unknown): void;
}

type Reaction = Extract<HostToPage, { type: 'answer' | 'refusal' }>;

/** The page's connection to the host: sends messages and requests, and validates everything that arrives. */
export class HostLink {
  readonly post: (message: PageToHost) => void;
  readonly #pending = new Map<number, (reaction: Reaction) => void>();
  #last = 0;

  constructor(api: Pick<EditorApi, 'postMessage'>) {
    this.post = (message) => api.postMessage(message);
  }

  /** Sends a request. Rejects with `RequestFault`, with the reason `failed` if the answer is invalid. */
  async request<K extends RequestType>(type: K, fields: Omit<RequestOf<K>, 'type'>): Promise<AnswerOf<K>> {
    const id = ++this.#last;
    const answered = new Promise<Reaction>((resolve) => this.#pending.set(id, resolve));
    // The signature relates the type and its fields, which an object literal can't.
    this.post({ type: 'request', id, body: { type, ...fields } as unknown as PageRequest });
    const reaction = await answered;
    if (reaction.type === 'refusal') {
      const { reason, text: words, action } = reaction.fault;
      throw new RequestFault(reason, words, action);
    }
    try {
      return parseAnswer(type, reaction.value);
    } catch {
      const words = text('An internal error occurred in the chat. If the chat looks wrong, reload the window.');
      throw new RequestFault('failed', words);
    }
  }

  /** Processes a message. Pushed messages are returned; answers resolve their requests. */
  receive(data: unknown): Exclude<HostToPage, Reaction> | undefined {
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
