import { RequestFault, type RequestFaultReason } from '../protocol/faults.ts';
import type { AnswerOf, RequestOf, RequestType } from '../protocol/requests.ts';
import { REMEDIES, type MessageView, type WayOut } from '../protocol/views.ts';
import type { HostLink } from './host-link.ts';
import { text } from './texts.ts';
import type { Toasts } from './toasts.ts';

/** Requests that bring a reply; one that works shows that what stood in the way is gone. */
const TURNS: ReadonlySet<RequestType> = new Set(['send', 'sendQueued', 'editAndResend', 'retry', 'continue'] as const);

/** What the page asks the host to do. A refusal is shown with its way out, after which the act goes on by itself. */
export class Acts {
  readonly #link: HostLink;
  readonly #toasts: Toasts;
  readonly #last: () => MessageView | undefined;

  /** `last` is the newest message of the session. */
  constructor(link: HostLink, toasts: Toasts, last: () => MessageView | undefined) {
    this.#link = link;
    this.#toasts = toasts;
    this.#last = last;
  }

  /** Undefined when it was refused, which is shown and told to `refused`. */
  async ask<K extends RequestType>(
    type: K,
    fields: Omit<RequestOf<K>, 'type'>,
    refused?: (reason: RequestFaultReason) => void,
  ): Promise<AnswerOf<K> | undefined> {
    try {
      const answer = await this.#link.request(type, fields);
      if (TURNS.has(type)) this.#toasts.settle();
      return answer;
    } catch (error) {
      const fault = RequestFault.is(error) ? error : undefined;
      refused?.(fault?.reason ?? 'failed');
      if (fault?.reason === 'cancelled') return undefined;
      const repeat = (): void =>
        TURNS.has(type) && type !== 'retry' ? this.#retryTurn() : void this.ask(type, fields);
      const way = fault?.action;
      const button = way && { label: way.label, run: () => void this.takeWayOut(way.command, repeat) };
      this.#toasts.tell(error instanceof Error ? error.message : String(error), 'error', button);
      return undefined;
    }
  }

  /** What is read of a file; undefined where it cannot be, as a folder that was dropped, which the user is told. */
  async readOrTell(name: string, reading: Promise<string>): Promise<string | undefined> {
    try {
      return await reading;
    } catch {
      this.#toasts.tell(text('Couldn’t read {0}. Add it again.', name), 'error');
      return undefined;
    }
  }

  /** Does what the button beside a fault says, and repeats the act that failed once nothing stands in its way. */
  async takeWayOut(command: WayOut['command'], repeat: () => void): Promise<void> {
    if (command === 'retry' || ((await this.ask('runCommand', { command })) && REMEDIES.has(command))) repeat();
  }

  /** Asks again for the reply that failed. A text that went back to the composer is no message, and stays there. */
  #retryTurn(): void {
    const last = this.#last();
    if (last && (last.role === 'user' || last.ending !== 'complete')) void this.ask('retry', { message: last.id });
  }
}
