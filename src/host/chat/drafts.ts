import * as v from 'valibot';
import type { Memento } from 'vscode';
import type { Conversation } from '../../app/conversation.ts';

/** Drafts kept for the sessions that were used last. */
const MOST = 20;
const KEY = 'threadkeeper.drafts';

/** What stands unsent in the composer, per session; it survives a reload. */
export class Drafts {
  readonly #memento: Memento;
  readonly #drafts: Map<string, string>;
  readonly #key: string;

  constructor(memento: Memento, key = KEY) {
    this.#memento = memento;
    this.#key = key;
    this.#drafts = new Map(stored(memento.get<unknown>(key)));
  }

  get(session: string): string {
    return this.#drafts.get(session) ?? '';
  }

  set(session: string, text: string): void {
    this.#drafts.delete(session);
    if (text !== '') this.#drafts.set(session, text);
    for (const oldest of this.#drafts.keys()) {
      if (this.#drafts.size <= MOST) break;
      this.#drafts.delete(oldest);
    }
    void this.#memento.update(this.#key, [...this.#drafts]);
  }
}

/** Messages that wait for a reply to end; their texts survive a reload, after which the user sends them. */
export class QueuedTexts {
  readonly #texts: Drafts;

  constructor(memento: Memento) {
    this.#texts = new Drafts(memento, 'threadkeeper.queued');
  }

  delete(session: string): void {
    this.#texts.set(session, '');
  }

  follow(conversation: Pick<Conversation, 'journal' | 'queue' | 'onUpdate'>): void {
    const { journal, queue } = conversation;
    const kept = v.safeParse(v.pipe(v.string(), v.parseJson(), v.array(v.string())), this.#texts.get(journal.id));
    if (kept.success && queue.items.length === 0) queue.restore(kept.output.map((text) => ({ text })));
    conversation.onUpdate(({ type }) => {
      if (type !== 'queue_changed') return;
      const texts = queue.items.map(({ message }) => message.text);
      this.#texts.set(journal.id, texts.length === 0 ? '' : JSON.stringify(texts));
    });
  }
}

function stored(value: unknown): [string, string][] {
  if (!Array.isArray(value)) return [];
  return value.filter(
    (one): one is [string, string] => Array.isArray(one) && typeof one[0] === 'string' && typeof one[1] === 'string',
  );
}
