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

/** What VS Code puts into the page. */
export interface EditorApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

type Pushed = Exclude<HostToPage, { type: 'answer' | 'refusal' }>;

interface Pending {
  settle(message: Extract<HostToPage, { type: 'answer' | 'refusal' }>): void;
}

/** The page's one line to the host: sends, asks, and lets through only what keeps the contract. */
export class HostLink {
  readonly #api: Pick<EditorApi, 'postMessage'>;
  readonly #pending = new Map<number, Pending>();
  #last = 0;
  #refusedSession = false;

  constructor(api: Pick<EditorApi, 'postMessage'>) {
    this.#api = api;
  }

  /** Whether a session came that breaks the contract. */
  get refusedSession(): boolean {
    return this.#refusedSession;
  }

  post(message: PageToHost): void {
    this.#api.postMessage(message);
  }

  /** Asks the host. Rejects with `RequestFault`; with reason `failed` when the answer breaks the contract. */
  request<K extends RequestType>(type: K, fields: Omit<RequestOf<K>, 'type'>): Promise<AnswerOf<K>> {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, {
        settle(message) {
          if (message.type === 'refusal') {
            reject(new RequestFault(message.fault.reason, message.fault.text, message.fault.action));
            return;
          }
          try {
            resolve(parseAnswer(type, message.value));
          } catch {
            reject(
              new RequestFault(
                'failed',
                text('An internal error occurred in the chat. If the chat looks wrong, reload the window.'),
              ),
            );
          }
        },
      });
      // The type and its fields belong together by the signature; an object of a generic type cannot show it.
      this.post({ type: 'request', id, body: { type, ...fields } as unknown as PageRequest });
    });
  }

  /** Takes what arrived. What the host pushed is returned; answers go where they were asked for. */
  receive(data: unknown): Pushed | undefined {
    const parsed = parseHostMessage(data);
    if (!parsed.ok) {
      this.#refusedSession ||= isInit(data);
      this.post({ type: 'pageFault', text: `refused ${parsed.problem}`.slice(0, 4_000) });
      return undefined;
    }
    const { message } = parsed;
    if (message.type !== 'answer' && message.type !== 'refusal') return message;
    const pending = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    pending?.settle(message);
    return undefined;
  }
}

const isInit = (data: unknown): boolean =>
  typeof data === 'object' && data !== null && 'type' in data && data.type === 'init';
