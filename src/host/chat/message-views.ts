import * as v from 'valibot';
import type { Conversation } from '../../app/conversation.ts';
import type { RecalledExcerpt } from '../../core/context/render-context.ts';
import type { KeyEvent } from '../../core/model/key-event.ts';
import { parseEdits } from '../../core/edits/parse-edits.ts';
import type { MessageId } from '../../core/model/ids.ts';
import { messageText, type Attachment, type ContentBlock, type Message } from '../../core/model/message.ts';
import { listedSteps } from '../../core/model/task-list.ts';
import { eventsOnBranch } from '../../core/context/ledger-lines.ts';
import { knownCost, type CompressionEntry } from '../../core/state/counters.ts';
import type { SessionState } from '../../core/state/session-state.ts';
import {
  imageTypeSchema,
  messageViewSchema,
  type MessageView,
  type PartView,
  type CompressionView,
  type SummaryRangeView,
  MAX_TEXT_LENGTH,
} from '../../protocol/views.ts';

/** The branches that start at a message or, if it's the only one there, at deleted messages directly before it. */
function branchesAt(state: SessionState, id: MessageId): { readonly ids: MessageId[]; readonly index: number } {
  const seen = new Set<MessageId>();
  for (let at = id; ;) {
    // Damaged data may contain a cycle.
    seen.add(at);
    const parent = state.messages.place(at)?.parent ?? null;
    const ids = shownChildren(state, parent);
    const isFirst = parent === null || !state.isDeleted(parent) || seen.has(parent);
    if (ids.length > 1 || isFirst) return { ids, index: ids.indexOf(at) };
    at = parent;
  }
}

/** The messages with this parent, without deleted ones that no other message follows. */
export const shownChildren = (state: SessionState, parent: MessageId | null): MessageId[] =>
  state.childrenOf(parent).filter((id) => !state.isDeleted(id) || state.childrenOf(id).length > 0);

function partView(block: ContentBlock): PartView {
  switch (block.type) {
    case 'image': {
      const { mediaType, base64 } = block;
      return v.is(imageTypeSchema, mediaType) && base64.length <= MAX_TEXT_LENGTH
        ? { type: 'image', mediaType, base64 }
        : { type: 'text', text: `[${mediaType.slice(0, 100)}]` };
    }
    case 'tool_call':
      return { ...block, json: shortened(block.json) };
    case 'text':
    case 'tool_result':
      return { ...block, text: shortened(block.text) };
  }
}

/** A message's content as plain text, if another value of it is invalid. */
const plainView = ({ id, role, at, content }: Message): MessageView => ({
  id,
  role,
  at,
  parts: content.map(({ type, ...block }) => ({ type: 'text', text: shortened(`[${type}] ${JSON.stringify(block)}`) })),
});

/** Truncates text that the page doesn't accept; the session keeps all of it. */
const shortened = (text: string): string =>
  text.length <= MAX_TEXT_LENGTH ? text : `${text.slice(0, MAX_TEXT_LENGTH - 1)}…`;

export class MessageViews {
  /** Excerpts that this window recalled for messages; they aren't stored. */
  readonly recalled = new Map<MessageId, readonly RecalledExcerpt[]>();
  /** Messages that are shown as plain text, because the page hung while rendering them. */
  readonly plain = new Set<MessageId>();
  readonly #conversation: Conversation;
  /** The reply while it's streaming. It isn't a message of the session yet. */
  #streaming: { readonly view: MessageView; text: string } | undefined;
  #eventsByMessage: { revision: number; map: ReadonlyMap<MessageId, readonly KeyEvent[]> } | undefined;

  constructor(conversation: Conversation) {
    this.#conversation = conversation;
  }

  /** A reply begins; `at` is in milliseconds since the epoch. Returns its empty view. */
  begin(id: MessageId, model: string, at: number): MessageView {
    const view = { id, role: 'assistant', parts: [], at, model, streaming: true } as const;
    this.#streaming = { view, text: '' };
    return view;
  }

  append(text: string): void {
    if (this.#streaming) this.#streaming.text += text;
  }

  end(): void {
    this.#streaming = undefined;
  }

  /** The messages from position `from`, including the streaming reply, and the number of all messages. */
  newest(from: number): { readonly total: number; readonly messages: MessageView[] } {
    const { length } = this.#conversation.state.path;
    const messages = this.slice(from, length);
    if (!this.#streaming) return { total: length, messages };
    const { view, text } = this.#streaming;
    return { total: length + 1, messages: [...messages, { ...view, parts: [{ type: 'text', text }] }] };
  }

  /** The messages at positions `from` to `to` (exclusive) of the active branch. */
  slice(from: number, to: number): MessageView[] {
    const { state } = this.#conversation;
    const messages = state.path.slice(from, to).flatMap((id) => state.messages.get(id) ?? []);
    return messages.map((message) => this.of(message));
  }

  of(message: Message): MessageView {
    const parsed = v.safeParse(messageViewSchema, this.#viewOf(message));
    const view = parsed.success ? parsed.output : plainView(message);
    const recalled = this.recalled.get(message.id);
    const plain = this.plain.has(message.id);
    return { ...view, ...(recalled && { recalled: [...recalled] }), ...(plain && { plain }) };
  }

  /** The view before validation, which also removes fields that the page doesn't need. */
  #viewOf(message: Message): MessageView {
    const { meter, counts, state } = this.#conversation;
    const { id, role, at, model, usage, ending } = message;
    const branches = branchesAt(state, id);
    const events = this.#events().get(id) ?? [];
    const steps = role === 'assistant' ? listedSteps(messageText(message)) : [];
    const edits = role === 'assistant' ? parseEdits(messageText(message)) : [];
    const files = new Set(edits.flatMap(({ path }) => path ?? []));
    return {
      id,
      role,
      at,
      parts: message.content.map(partView),
      tokens: usage ?? { output: meter.providerTokens(counts.of(message).body) },
      ...(model !== undefined && { model }),
      ...(ending && { ending }),
      ...(branches.ids.length > 1 && { branches }),
      ...(steps.length > 0 && { steps }),
      // If all blocks change the same file, their own buttons are enough.
      ...(files.size > 1 && { files: files.size }),
      ...(events.length > 0 && { events }),
      ...(message.attachments && {
        attachments: this.#withTokens(message.attachments, counts.of(message).attachments).map((one, index) => ({
          ...one,
          id: String(index),
          tokens: meter.providerTokens(one.tokens),
        })),
      }),
    };
  }

  /** Attachments with their sizes. The longest one, which may have megabytes, isn't counted: it has the rest of `total`. */
  #withTokens(attachments: readonly Attachment[], total: number) {
    const { counter } = this.#conversation;
    const [longest] = attachments.toSorted((a, b) => b.text.length - a.text.length);
    const others = attachments.map((one) => (one === longest ? 0 : counter.attachment(one)));
    // Stored counts may be those of an earlier version.
    const rest = Math.max(0, total - others.reduce((sum, tokens) => sum + tokens, 0));
    return attachments.map((one, index) => ({ ...one, tokens: one === longest ? rest : others[index]! }));
  }

  #events(): ReadonlyMap<MessageId, readonly KeyEvent[]> {
    const { state } = this.#conversation;
    if (this.#eventsByMessage?.revision !== state.prefixRevision) {
      const map = Map.groupBy(eventsOnBranch(state), ({ message }) => message);
      this.#eventsByMessage = { revision: state.prefixRevision, map };
    }
    return this.#eventsByMessage.map;
  }

  /** The user's newest texts, newest last. */
  history(max: number): string[] {
    const { messages, path } = this.#conversation.state;
    const newestFirst = path.toReversed().values();
    const own = newestFirst.filter((id) => messages.place(id)?.role === 'user').map((id) => messages.get(id));
    const texts = own.filter((message) => message !== undefined).map(messageText);
    return [...texts.take(max)].reverse();
  }
}

export const summaryRangeViews = (state: SessionState): SummaryRangeView[] =>
  state.frontier.map(({ node: { id, title }, from, to }) => ({ node: id, title, from, to }));

export const compressionViews = (conversation: Conversation): CompressionView[] =>
  conversation.state.compressions.map((entry) => compressionView(conversation, entry));

function compressionView({ state, meter }: Conversation, entry: CompressionEntry): CompressionView {
  const nodes = entry.nodes.map((id) => state.nodes.get(id)).filter((node) => node !== undefined);
  const leaves = nodes.filter((node) => node.depth === 0);
  const active = nodes.filter((node) => !state.summaries.isUndoneWithin(node.id));
  const after = Math.max(-1, ...nodes.map((node) => state.positionOf(node.last) ?? -1));
  return {
    id: entry.id,
    at: entry.at,
    after,
    // If all are undone, all can be redone.
    nodes: (active.length > 0 ? active : nodes).map((node) => node.id),
    messages: leaves.reduce((sum, node) => sum + node.messages, 0),
    summaries: nodes.length,
    tokens: meter.providerSizes(entry.tokens),
    keyEvents: entry.keyEvents ?? { kept: 0, total: 0 },
    costUsd: knownCost(entry.calls),
    undone: nodes.length > 0 && active.length === 0,
  };
}
