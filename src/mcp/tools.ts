import { toStandardJsonSchema } from '@valibot/to-json-schema';
import type { McpServer } from '@modelcontextprotocol/server';
import * as v from 'valibot';
import { endsWithPath, type ChatHit } from '../app/library/chat-index.ts';
import { activeEvents, keyEventsOf, lastingEvents, supersededEvents } from '../app/library/chat-events.ts';
import type { KeptSession } from '../app/library/library-store.ts';
import { TOOLS } from '../app/library/source.ts';
import { QUESTION_END } from '../core/events/message-traits.ts';
import type { KeyEvent } from '../core/model/key-event.ts';
import { runYielding, type Steps } from '../core/pace/steps.ts';
import { yieldIfDue, type Yielder } from '../core/pace/yielder.ts';
import { callsWith } from '../app/record-section.ts';
import { isObject, type JsonObject } from '../core/text/json-value.ts';
import { copiedSlice } from '../core/text/copied-slice.ts';
import { sentencesOf } from '../core/text/sentences.ts';
import type { MachineChats } from './machine-chats.ts';
import {
  renderChats,
  renderEvents,
  renderHits,
  renderMessages,
  type AttributedEvent,
  type ChatQuote,
} from './render-chats.ts';

/** How long a call waits for the first sync, and later for changes, in ms. Some clients cancel after 60 s. */
const MAX_FIRST_WAIT_MS = 20_000;
const MAX_WAIT_MS = 2_000;
/** How long a call looks for decisions before it leaves the remaining chats to the next call, in ms. */
const MAX_FINDING_MS = 20_000;
/** How long a call checks whether its quotes were superseded, in ms. Most sessions of up to 3 MB are checked in that time. */
const MAX_CHECKING_MS = 3_000;
/** Length of a quote in UTF-16 units: a paragraph or two. */
const QUOTE_UNITS = 600;
/** Maximum number of chats that are read for decisions, because finding them takes a second per megabyte. */
const MAX_DECISION_CHATS = 10;
/** Maximum number of decisions of one chat, if it's the only one, and if there are several. */
const MAX_DECISIONS = 60;
const MAX_DECISIONS_PER_CHAT = 8;
/** Factor for messages that only ask, or may be the caller's prompt: they have the words, but seldom the answer. */
const QUESTION_FACTOR = 0.5;
/** A chat that changed at most this long ago, in ms, may be the one from which the tool is called. */
const MAX_CALLER_AGE_MS = 600_000;
/** Number of chats whose key events are cached. */
const MAX_CACHED_CHATS = 100;

const count = (min: number, max: number) => v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max));
const described = <Schema extends v.GenericSchema>(schema: Schema, description: string) =>
  v.pipe(schema, v.description(description));
const text = v.pipe(v.string(), v.minLength(1), v.maxLength(500));
const date = v.pipe(v.string(), v.isoDate());
const tool = v.optional(described(v.picklist(TOOLS), 'Only chats of this tool'));
const workspace = v.optional(
  described(text, 'Only chats of this folder: its path, or the end of it, for example the folder’s name'),
);
const session = described(text, 'The session, as recall and sessions name it');

const INPUTS = {
  recall: v.strictObject({
    query: described(text, 'Keywords, in the language of the chats'),
    limit: v.optional(described(count(1, 20), 'Maximum number of quotes'), 8),
    tool,
    workspace,
    since: v.optional(described(date, 'Only chats that changed at or after this date (UTC), for example 2026-03-31')),
    before: v.optional(described(date, 'Only chats that last changed before this date')),
  }),
  sessions: v.strictObject({
    tool,
    workspace,
    limit: v.optional(described(count(1, 100), 'Maximum number of chats'), 20),
    skip: v.optional(described(count(0, 1_000_000), 'Number of newer chats to skip'), 0),
  }),
  decisions: v.strictObject({
    session: v.optional(described(text, 'Only this session, as recall and sessions name it')),
    workspace,
  }),
  expand: v.strictObject({
    session,
    from: described(count(0, 100_000_000), 'Number of the first message; the first one of a chat has 0'),
    to: v.optional(described(count(0, 100_000_000), 'Number of the last message; by default the first one')),
    offset: v.optional(described(count(0, 100_000_000), 'Begin the first message at this character'), 0),
  }),
};

/** The paragraphs of a result. False stands for one that is left out. */
type Paragraphs = readonly (string | false)[];

type Input<Name extends keyof typeof INPUTS> = v.InferOutput<(typeof INPUTS)[Name]>;

/** The schema of a tool's arguments. Some clients and models send null or '' for those that they leave out. */
function inputSchema<Name extends keyof typeof INPUTS>(name: Name) {
  const standard = toStandardJsonSchema(INPUTS[name])['~standard'];
  const validate: typeof standard.validate = (value, ...rest) =>
    standard.validate(isObject(value) ? withoutEmpty(value) : value, ...rest);
  return { '~standard': { ...standard, validate } };
}

const withoutEmpty = (args: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null && value !== ''));

/** The tools of the server: they search and quote the chats of all tools, and change nothing. */
export class ChatTools {
  readonly #chats: MachineChats;
  readonly #yielder: Yielder;
  /** The key events of chats, by chat and size of its copy. */
  readonly #events = new Map<string, readonly AttributedEvent[]>();
  /** Key events whose search goes on after the call that began it, likewise. */
  readonly #unfinished = new Map<string, Promise<readonly AttributedEvent[]>>();

  constructor(chats: MachineChats, yielder: Yielder) {
    this.#chats = chats;
    this.#yielder = yielder;
  }

  register(server: McpServer): void {
    const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
    const add = <Name extends keyof typeof INPUTS>(
      name: Name,
      title: string,
      description: string,
      call: (input: Input<Name>, signal: AbortSignal) => Promise<Paragraphs>,
    ): void => {
      const config = { title, description, inputSchema: inputSchema(name), annotations };
      server.registerTool(name, config, async (input, { mcpReq }) => ({
        content: [{ type: 'text', text: (await call(input, mcpReq.signal)).filter(Boolean).join('\n\n') }],
      }));
    };
    add(
      'recall',
      'Search Earlier Chats',
      'Searches all messages of the user’s earlier AI chats on this machine (Claude Code, Codex, Copilot, Cline, Gemini CLI, and others), best matches first, and returns quotes with session, date (UTC), and message number, and with the later message of the session that superseded them, if any. Use it when the user refers to an earlier conversation, also with another tool, or when an earlier decision, error, or command may matter.',
      (input, signal) => this.#recall(input, signal),
    );
    add(
      'sessions',
      'List Earlier Chats',
      'Lists the user’s earlier AI chats on this machine, newest first, with date (UTC), session, title, tool, folder, and number of messages.',
      (input) => this.#sessions(input),
    );
    add(
      'decisions',
      'List Decisions',
      'Lists the decisions, constraints, and preferences of one session, or of the newest sessions of a folder, verbatim, without those that were superseded. Use it before proposing an approach, to avoid proposing again what was already settled.',
      (input, signal) => this.#decisions(input, signal),
    );
    add(
      'expand',
      'Show Messages',
      'Returns the original messages of a session from one number to another, at most 32,000 bytes at a time. Use it for the messages around a quote.',
      (input) => this.#expand(input),
    );
  }

  async #recall(
    { query, limit, tool: only, workspace: folder, since, before }: Input<'recall'>,
    signal: AbortSignal,
  ): Promise<Paragraphs> {
    const notes = await this.#refresh();
    const hits = await this.#chats.search({
      text: query,
      // One more, because the prompt that the caller is answering is removed.
      limit: limit + 1,
      tools: only && [only],
      workspace: folder,
      // In UTC, like the dates in results.
      since: since === undefined ? undefined : Date.parse(since),
      before: before === undefined ? undefined : Date.parse(before),
      excerptUnits: QUOTE_UNITS,
      redact: true,
    });
    const chats = new Map(this.#chats.list().map((chat) => [chat.key, chat]));
    const ranked = hits.flatMap((hit) => {
      const chat = chats.get(hit.key);
      return chat ? [{ ...hit, chat }] : [];
    });
    const prompts = await this.#newestPrompts(new Set(ranked.map(({ chat }) => chat)), query);
    const found = ranked
      .filter(({ key, message }) => !prompts.get(key)?.isAnsweredNow || prompts.get(key)?.message !== message)
      .map((hit) => {
        const isDoubtful = prompts.get(hit.key)?.message === hit.message || isQuestion(hit.text);
        return isDoubtful ? { ...hit, score: hit.score * QUESTION_FACTOR } : hit;
      })
      .sort((a, b) => b.score - a.score)
      .slice(0, limit);
    if (found.length === 0) {
      const none = 'No message matches. Try other words, or fewer filters.';
      return [chats.size === 0 ? noChats(this.#chats) : none, ...notes];
    }
    const { quotes: checked, unchecked } = await this.#check(found, signal);
    const { text: quotes, shown } = renderHits(checked);
    return [
      quotes,
      shown < found.length && `Only the best ${shown} of ${found.length} quotes fit.`,
      AROUND_QUOTES,
      unchecked.length > 0 && uncheckedText(unchecked),
      ...notes,
    ];
  }

  /**
   * The newest prompts of recently changed chats, by chat. One of them may be the prompt that the caller is answering.
   * If a call with this query follows it, it certainly is, but that call may be missing from the index.
   */
  async #newestPrompts(chats: ReadonlySet<KeptSession>, query: string) {
    const prompts = new Map<string, { message: number; isAnsweredNow: boolean }>();
    for (const { key } of [...chats].filter(isInUse)) {
      const messages = (await this.#chats.read(key))?.messages ?? [];
      const message = messages.findLastIndex(({ role }) => role === 'user');
      const isAnsweredNow = messages.slice(message + 1).some((later) => callsWith(later, query));
      prompts.set(key, { message, isAnsweredNow });
    }
    return prompts;
  }

  /** Adds the superseded key events to quotes. Chats that can't be checked in time are returned as `unchecked`. */
  async #check(hits: readonly Omit<ChatQuote, 'superseded'>[], signal: AbortSignal) {
    const deadline = performance.now() + MAX_CHECKING_MS;
    const unchecked: string[] = [];
    const superseded = new Map<string, ChatQuote['superseded']>();
    // Check the longest chat last, so that the others are checked in time.
    for (const { key, chat } of [...hits].sort((a, b) => a.chat.copyBytes - b.chat.copyBytes)) {
      signal.throwIfAborted();
      if (superseded.has(key)) continue;
      const ledger = await this.#eventsOf(chat, deadline);
      if (!ledger) unchecked.push(key);
      superseded.set(key, supersededEvents(ledger ?? []));
    }
    const inMessage = ({ key, message }: ChatHit): ChatQuote['superseded'] =>
      superseded.get(key)!.filter(({ event }) => Number(event.message) === message);
    return { quotes: hits.map((hit) => ({ ...hit, superseded: inMessage(hit) })), unchecked };
  }

  async #sessions({ tool: only, workspace: folder, limit, skip }: Input<'sessions'>): Promise<Paragraphs> {
    const notes = await this.#refresh();
    const all = this.#list(folder).filter(({ entry }) => only === undefined || entry.tool === only);
    const main = all.filter(isMain);
    const { text: list, shown } = renderChats(main.slice(skip, skip + limit));
    const older = main.length - skip - shown;
    const { unreadable } = this.#chats;
    return [
      shown > 0 ? list : noChats(this.#chats),
      older > 0 && `Older chats: ${older}. To list them, call sessions with skip: ${skip + shown}.`,
      all.length > main.length &&
        `Copies and chats of subagents, which only recall searches: ${all.length - main.length}.`,
      unreadable.length > 0 &&
        `Files that can’t be read: ${unreadable.length}. The user can list them with “threadkeeper sources”.`,
      ...notes,
    ];
  }

  async #decisions({ session: name, workspace: folder }: Input<'decisions'>, signal: AbortSignal): Promise<Paragraphs> {
    const notes = name === undefined ? await this.#refresh() : [];
    const chats = name === undefined ? this.#list(folder).filter(isMain) : [await this.#find(name)];
    const newest = chats.slice(0, MAX_DECISION_CHATS);
    const events = new Map<KeptSession, readonly AttributedEvent[]>();
    const startedAt = performance.now();
    for (const chat of newest) {
      signal.throwIfAborted();
      if (performance.now() - startedAt > MAX_FINDING_MS) break;
      const ledger = (await this.#eventsOf(chat)) ?? [];
      const active = ledger.filter(({ status }) => status === 'active');
      events.set(chat, active);
    }
    const read = [...events.keys()];
    // Compare decisions only within a folder, because chats in other folders are about other things.
    for (const workspace of new Set(read.map(({ entry }) => entry.workspace))) {
      const inFolder = read.filter(({ entry }) => entry.workspace === workspace).reverse();
      const active = await runYielding(activeEvents(inFolder.map((chat) => events.get(chat)!)), this.#yielder);
      for (const [index, chat] of inFolder.entries()) events.set(chat, active[index]!);
    }
    const each = chats.length === 1 ? MAX_DECISIONS : MAX_DECISIONS_PER_CHAT;
    const found = read.flatMap((chat) => {
      const lasting = lastingEvents(events.get(chat)!, each);
      return lasting.length > 0 ? [{ chat, events: lasting }] : [];
    });
    const none = chats.length === 0 ? noChats(this.#chats) : 'There are no decisions in these chats.';
    const { text: list, shown } = renderEvents(found);
    const total = found.reduce((sum, one) => sum + one.events.length, 0);
    return [
      total > 0 ? list : none,
      shown < total && `Only the first ${shown} of ${total} fit.`,
      chats.length > read.length &&
        `Only the newest ${read.length} of ${chats.length} chats were read. ${newest.length > read.length ? READ_MORE : READ_OLDER}`,
      ...notes,
    ];
  }

  async #expand({ session: name, from, to = from, offset }: Input<'expand'>): Promise<Paragraphs> {
    if (to < from) throw new Error(`“to” (${to}) must not be less than “from” (${from}).`);
    const chat = await this.#find(name);
    const messages = (await this.#chats.read(chat.key))?.messages ?? [];
    const last = messages.length - 1;
    if (last === -1) throw new Error('This session has no messages, because the user went back to before the first.');
    if (from > last) throw new Error(`The last message of this session has the number ${last}.`);
    const range = { from, to: Math.min(to, last), offset };
    const { text: shown, next } = renderMessages(chat, messages, range);
    const offsetText = next && next.offset > 0 ? ` and offset: ${next.offset}` : '';
    return [shown, !!next && `Cut at 32,000 bytes. To continue, call expand with from: ${next.from}${offsetText}.`];
  }

  /** Reads new and changed chats. Resolves to notes for the model if some are still missing. */
  async #refresh(): Promise<readonly string[]> {
    if (await this.#chats.refresh(this.#chats.isComplete ? MAX_WAIT_MS : MAX_FIRST_WAIT_MS)) return [];
    const { progress, failure } = this.#chats;
    if (!progress && failure !== undefined)
      return [`New and changed chats can’t be read, so this may be incomplete or outdated. Tell the user: ${failure}`];
    const read = progress ? `${progress.done} of ${progress.total} new or changed chats` : 'Not all chats';
    return [`${read} have been read so far. Call again for the others.`];
  }

  /** The chats of a folder, newest first. */
  #list(folder: string | undefined): readonly KeptSession[] {
    const chats = this.#chats.list();
    return folder === undefined ? chats : chats.filter(({ entry }) => endsWithPath(entry.workspace ?? '', folder));
  }

  /** The chat with this key, or with this ID of its tool. Throws an error for the model. */
  async #find(name: string): Promise<KeptSession> {
    let chat = this.#named(name);
    if (!chat) {
      await this.#refresh();
      chat = this.#named(name);
    }
    if (!chat) throw new Error(`There is no session “${name}”. To list the sessions, call sessions.`);
    return chat;
  }

  #named(name: string): KeptSession | undefined {
    const chats = this.#chats.list();
    const [named] = chats
      .filter(({ entry }) => entry.id === name)
      // Prefer the most complete of several copies.
      .sort((a, b) => b.entry.messages - a.entry.messages);
    return chats.find(({ key }) => key === name) ?? named;
  }

  /**
   * A chat's key events. Undefined if the chat can't be read now, or if finding them isn't finished at the deadline, in
   * ms of `performance.now`. It then goes on for a later call, except for a chat in use, which will have changed by
   * then.
   */
  async #eventsOf(chat: KeptSession, deadline = Infinity): Promise<readonly AttributedEvent[] | undefined> {
    const name = `${chat.key} ${chat.copyBytes}`;
    const cached = this.#events.get(name);
    if (cached) return cached;
    if (performance.now() >= deadline) return undefined;
    const unfinished = this.#unfinished.get(name);
    if (unfinished) return deadline === Infinity ? unfinished : undefined;
    const messages = (await this.#chats.read(chat.key))?.messages;
    if (!messages) return undefined;
    await yieldIfDue(this.#yielder);
    const cache = (ledger: readonly KeyEvent[]): readonly AttributedEvent[] => {
      const found = ledger.map((event) => {
        const { role, at } = messages[Number(event.message)]!;
        return { ...event, quote: copiedSlice(event.quote), role, at };
      });
      this.#events.set(name, found);
      this.#unfinished.delete(name);
      for (const oldest of this.#events.keys()) {
        if (this.#events.size <= MAX_CACHED_CHATS) break;
        this.#events.delete(oldest);
      }
      return found;
    };
    const steps = keyEventsOf(messages);
    const ledger = await runYielding(untilDeadline(steps, deadline), this.#yielder);
    if (ledger) return cache(ledger);
    if (!isInUse(chat)) {
      const finishing = runYielding(steps, this.#yielder).then(cache);
      this.#unfinished.set(name, finishing);
      // A failure is reported by the next call that waits for it.
      finishing.catch(() => undefined);
    }
    return undefined;
  }
}

/** Whether a chat may be the one that calls. */
const isInUse = ({ entry }: KeptSession): boolean => Date.now() - entry.updatedAt <= MAX_CALLER_AGE_MS;

/** Pauses steps at a deadline in ms of `performance.now`, without a result. */
function* untilDeadline<T>(steps: Steps<T>, deadline: number): Steps<T | undefined> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() >= deadline) return undefined;
    yield;
  }
}

/** Whether at least half of a text is questions. */
function isQuestion(text: string): boolean {
  const asked = sentencesOf(text).filter(({ start, end }) => QUESTION_END.test(text.slice(start, end).trimEnd()));
  return asked.reduce((sum, { start, end }) => sum + end - start, 0) >= text.length / 2;
}

const AROUND_QUOTES =
  'For the messages around a quote, call expand. If quotes contradict each other, the newest counts.';

const uncheckedText = (sessions: readonly string[]): string =>
  `Whether quotes were superseded later in their session wasn’t checked in ${sessions.join(', ')}, because it takes long. For what holds there, call decisions with the session.`;

const READ_MORE = 'Finding decisions takes long. To read more of them, call again.';
const READ_OLDER = 'For an older one, call decisions with its session, which sessions lists.';

/** Whether a chat is neither a copy of another one nor a subagent's. */
const isMain = ({ relation }: KeptSession): boolean => relation?.kind !== 'copy' && relation?.kind !== 'subagent';

function noChats(chats: MachineChats): string {
  if (chats.list().length > 0) return 'No chat matches.';
  return chats.isComplete
    ? `There are no chats of supported tools in ${chats.folder}.`
    : 'No chats have been read yet.';
}
