import type { Conversation } from '../../app/conversation.ts';
import type { Recalled } from '../../core/context/render.ts';
import type { MessageId } from '../../core/model/ids.ts';
import type { KeyEvent } from '../../core/model/key-event.ts';
import { messageText, type Message } from '../../core/model/message.ts';
import type { MessageView } from '../../protocol/views.ts';
import { messageView, type MessageFacts } from './views.ts';

/** A conversation's messages as the page shows them, with what is known of each. */
export class MessageViews {
  /** What was recalled for messages of this window's time; a reload forgets it. */
  readonly recalled = new Map<MessageId, readonly Recalled[]>();
  /** Messages that are shown as plain text, since drawing them has hung the page. */
  readonly plain = new Set<MessageId>();
  readonly #conversation: Conversation;
  #arriving: { readonly view: MessageView; text: string } | undefined;
  #eventsByMessage: { revision: number; map: ReadonlyMap<MessageId, readonly KeyEvent[]> } | undefined;

  constructor(conversation: Conversation) {
    this.#conversation = conversation;
  }

  /** The reply that is arriving, as far as it has come: it is no message of the session yet. */
  get arriving(): MessageView | undefined {
    if (!this.#arriving) return undefined;
    const { view, text } = this.#arriving;
    return { ...view, parts: [{ type: 'text', text }] };
  }

  /** A reply begins; `at` is milliseconds since the epoch. */
  begin(id: MessageId, model: string, at: number): void {
    this.#arriving = { view: { id, role: 'assistant', parts: [], at, model, streaming: true }, text: '' };
  }

  grow(text: string): void {
    if (this.#arriving) this.#arriving.text += text;
  }

  end(): void {
    this.#arriving = undefined;
  }

  /** The messages from position `from` on, with the reply that is arriving, and how many there are in all. */
  newest(from: number): { readonly total: number; readonly messages: MessageView[] } {
    const { length } = this.#conversation.state.path;
    const { arriving } = this;
    return {
      total: arriving ? length + 1 : length,
      messages: [...this.slice(from, length), ...(arriving ? [arriving] : [])],
    };
  }

  /** The messages at positions `from` to `to` (exclusive) of the active branch. */
  slice(from: number, to: number): MessageView[] {
    const { state } = this.#conversation;
    const views: MessageView[] = [];
    for (let position = from; position < Math.min(to, state.path.length); position++) {
      const message = state.messages.get(state.path[position]!);
      if (message) views.push(this.of(message));
    }
    return views;
  }

  of(message: Message): MessageView {
    const view = messageView(this.#conversation.state, message, this.#facts());
    const recalled = this.recalled.get(message.id);
    const plain = this.plain.has(message.id);
    return { ...view, ...(recalled && { recalled: [...recalled] }), ...(plain && { plain }) };
  }

  #facts(): MessageFacts {
    const conversation = this.#conversation;
    return {
      tokens: (message) => conversation.meter.shown(conversation.counts.of(message).body),
      attachmentTokens: (attachment) => conversation.meter.shown(conversation.counter.attachment(attachment)),
      events: (message) => this.#events().get(message) ?? [],
    };
  }

  #events(): ReadonlyMap<MessageId, readonly KeyEvent[]> {
    const { state } = this.#conversation;
    if (this.#eventsByMessage?.revision !== state.prefixRevision) {
      const map = new Map<MessageId, KeyEvent[]>();
      for (const event of state.events.values()) {
        if (state.isRemoved(event.id)) continue;
        const known = map.get(event.message);
        if (known) known.push(event);
        else map.set(event.message, [event]);
      }
      this.#eventsByMessage = { revision: state.prefixRevision, map };
    }
    return this.#eventsByMessage.map;
  }

  /** The newest texts of the user, at most so many, the newest last. */
  history(most: number): string[] {
    const { state } = this.#conversation;
    const texts: string[] = [];
    for (let position = state.path.length - 1; position >= 0 && texts.length < most; position--) {
      const id = state.path[position]!;
      const message = state.messages.place(id)?.role === 'user' ? state.messages.get(id) : undefined;
      if (message) texts.push(messageText(message));
    }
    return texts.reverse();
  }
}
