import type { Role } from '../../core/model/message.ts';
import { bestExcerpt } from '../../core/search/excerpt.ts';
import { searchBlocks, SearchScratch, type SearchedBlock } from '../../core/search/block-search.ts';
import { decodeBlocks, encodeBlock, wordBlockOf } from '../../core/search/word-block.ts';
import { toolEffectsOf, type ToolEffect } from '../../core/transcript/tool-effects.ts';
import type { TranscriptMessage } from '../../core/transcript/transcript-message.ts';
import type { CopyPiece, KeptSession, LibraryStore } from './library-store.ts';
import type { Tool } from './source.ts';

/** A query for the kept chats. Undefined fields match everything. */
export interface ChatQuery {
  readonly text: string;
  readonly limit: number;
  readonly tools?: readonly Tool[] | undefined;
  /** The end of the workspace's path. */
  readonly workspace?: string | undefined;
  readonly roles?: readonly Role[] | undefined;
  /** When the chat was last changed, in milliseconds since the epoch. */
  readonly since?: number | undefined;
  readonly before?: number | undefined;
  /** The end of a file's path: only matches chats that read or changed it. */
  readonly file?: string | undefined;
  /** Searches successful commands instead of messages. */
  readonly commands?: boolean | undefined;
}

/** A search result in a kept chat. */
export interface ChatHit {
  readonly key: string;
  /** Index of the message. */
  readonly message: number;
  readonly role: Role;
  readonly at?: number | undefined;
  /** An excerpt of the message or a command, with its position in the text in UTF-16 units. */
  readonly text: string;
  readonly start: number;
  readonly score: number;
}

/** What a chat did to a file. */
export interface FileDeed extends ToolEffect {
  readonly key: string;
  readonly message: number;
}

/** Maximum size of indexes in memory. Others are read from disk for each search. */
const MAX_HELD_BYTES = 160 << 20;
/** Length of an excerpt in UTF-16 units. */
const EXCERPT_UNITS = 300;

type PlacedDeed = ToolEffect & { readonly callId: string; readonly message: number };

/** What a block stores about its messages besides their words. Message numbers count from the chat's first one. */
interface BlockFacts {
  readonly from: number;
  readonly pieces: readonly CopyPiece[];
  readonly deeds: readonly PlacedDeed[];
  /** Outcomes of calls in an earlier block. */
  readonly results: readonly (readonly [string, boolean])[];
}

/**
 * Builds the search index of messages that were just appended to a copy. `pieces` say where they are in the copy;
 * `from` is the number of the first one within the chat.
 */
export function indexOfMessages(
  messages: readonly TranscriptMessage[],
  from: number,
  pieces: readonly CopyPiece[],
): Uint8Array {
  const deeds: PlacedDeed[] = [];
  const results = new Map<string, boolean>();
  for (const [index, { blocks = [] }] of messages.entries()) {
    const found = toolEffectsOf(blocks);
    for (const deed of found.effects) deeds.push({ ...deed, message: from + index });
    for (const [call, ok] of found.results) results.set(call, ok);
  }
  const facts: BlockFacts = { from, pieces, deeds, results: [...results] };
  return encodeBlock(wordBlockOf(messages), facts);
}

interface IndexedBlock extends SearchedBlock {
  readonly facts: BlockFacts;
}

interface IndexedChat {
  readonly session: KeptSession;
  readonly blocks: readonly IndexedBlock[];
}

/** Searches all kept chats with the indexes that are stored next to their copies. */
export class ChatIndex {
  readonly #store: LibraryStore;
  readonly #maxBytes: number;
  readonly #held = new Map<string, IndexedChat>();
  readonly #scratch = new SearchScratch();

  constructor(store: LibraryStore, maxBytes = MAX_HELD_BYTES) {
    this.#store = store;
    this.#maxBytes = maxBytes;
  }

  /** Size of the indexes in memory, in bytes. */
  get heldBytes(): number {
    return [...this.#held.values()].reduce((sum, { session }) => sum + session.indexBytes, 0);
  }

  /** The best results, best first. */
  async search(sessions: readonly KeptSession[], query: ChatQuery): Promise<readonly ChatHit[]> {
    const found: {
      readonly chat: IndexedChat;
      readonly message: number;
      readonly score: number;
      readonly what?: string;
    }[] = [];
    for await (const group of this.#groups(sessions.filter((session) => matchesFilters(session, query)))) {
      const chats = query.file === undefined ? group : group.filter((chat) => touches(chat, query.file!));
      if (query.commands === true) found.push(...commandsIn(chats, query.text));
      else {
        const blocks = chats.flatMap((chat) => chat.blocks.map((block) => ({ ...block, chat })));
        const { roles, limit } = query;
        for (const hit of searchBlocks(blocks, query.text, { limit, ...(roles && { roles }) }, this.#scratch)) {
          const { chat, facts } = blocks[hit.block]!;
          found.push({ chat, message: facts.from + hit.message, score: hit.score });
        }
      }
    }
    found.sort((a, b) => b.score - a.score || b.chat.session.entry.updatedAt - a.chat.session.entry.updatedAt);
    const hits = await Promise.all(
      found.slice(0, query.limit).map(async ({ chat, message, score, what }) => {
        const hit = await this.#hit(chat, message, query.text, what);
        return hit ? [{ ...hit, score }] : [];
      }),
    );
    return hits.flat();
  }

  /** What the chats did to a file, by the end of its path, in the order of the given chats. */
  async deedsOn(sessions: readonly KeptSession[], file: string): Promise<readonly FileDeed[]> {
    const deeds: FileDeed[] = [];
    for await (const group of this.#groups(sessions)) {
      for (const chat of group) {
        for (const { kind, what, ok, message } of deedsIn(chat)) {
          if (kind === 'run' || !isSameFile(what, file, chat.session.entry.workspace)) continue;
          deeds.push({ key: chat.session.key, kind, what, message, ...(ok !== undefined && { ok }) });
        }
      }
    }
    return deeds;
  }

  /** Fingerprints of a chat's messages. */
  async prints(session: KeptSession): Promise<readonly number[]> {
    const { blocks } = await this.#chat(session);
    return blocks.flatMap(({ block, valid }) => [...block.prints.subarray(0, valid)]);
  }

  async #hit(
    chat: IndexedChat,
    message: number,
    query: string,
    command: string | undefined,
  ): Promise<Omit<ChatHit, 'score'> | undefined> {
    const { key } = chat.session;
    const block = chat.blocks.findLast(({ facts, valid }) => facts.from <= message && message < facts.from + valid);
    const piece = block?.facts.pieces.findLast(({ first }) => first <= message);
    const found = piece && (await this.#store.readMessage(key, piece, message));
    if (!found) return undefined;
    const { role, at, text } = found;
    const { start, end } = bestExcerpt(text, query, EXCERPT_UNITS);
    return { key, message, role, at, text: command ?? text.slice(start, end), start };
  }

  /** Groups of chats that fit in memory. The newest ones are cached between searches. */
  async *#groups(sessions: readonly KeptSession[]): AsyncGenerator<readonly IndexedChat[]> {
    const newest = [...sessions].sort((a, b) => b.entry.updatedAt - a.entry.updatedAt);
    for (let from = 0, to = 0; from < newest.length; from = to) {
      let bytes = 0;
      while (to < newest.length && (to === from || bytes + newest[to]!.indexBytes <= this.#maxBytes)) {
        bytes += newest[to++]!.indexBytes;
      }
      const group = await Promise.all(newest.slice(from, to).map((session) => this.#chat(session)));
      if (from === 0) this.#hold(group);
      yield group;
    }
  }

  #hold(chats: readonly IndexedChat[]): void {
    for (const chat of chats) {
      this.#held.delete(chat.session.key);
      this.#held.set(chat.session.key, chat);
    }
    let bytes = this.heldBytes;
    for (const [key, { session }] of this.#held) {
      if (bytes <= this.#maxBytes) break;
      this.#held.delete(key);
      bytes -= session.indexBytes;
    }
  }

  async #chat(session: KeptSession): Promise<IndexedChat> {
    const held = this.#held.get(session.key);
    if (held?.session.indexBytes === session.indexBytes) return { ...held, session };
    const decoded = decodeBlocks(await this.#store.readIndex(session.key, session.indexBytes));
    const blocks: IndexedBlock[] = [];
    let end = Infinity;
    for (const { block, about } of decoded.reverse()) {
      // The cast is safe: we wrote this file, and only the part that the catalog lists as valid is read.
      const facts = about as BlockFacts;
      blocks.unshift({ block, facts, valid: Math.max(0, Math.min(block.messages, end - facts.from)) });
      end = Math.min(end, facts.from);
    }
    return { session, blocks };
  }
}

function matchesFilters({ entry, source }: KeptSession, { tools, workspace, since, before }: ChatQuery): boolean {
  // A file that was changed may have newer messages than its index.
  const changedAt = Math.max(entry.updatedAt, source.modifiedAt);
  return (
    tools?.includes(entry.tool) !== false &&
    (workspace === undefined || endsWithPath(entry.workspace ?? '', workspace)) &&
    (since === undefined || changedAt >= since) &&
    (before === undefined || entry.updatedAt < before)
  );
}

function* deedsIn({ blocks }: IndexedChat): Generator<PlacedDeed> {
  const results = new Map(blocks.flatMap(({ facts }) => facts.results));
  for (const { facts, valid } of blocks) {
    for (const deed of facts.deeds) {
      if (deed.message >= facts.from + valid) continue;
      const ok = results.get(deed.callId);
      yield ok === undefined ? deed : { ...deed, ok };
    }
  }
}

function touches(chat: IndexedChat, file: string): boolean {
  for (const { kind, what } of deedsIn(chat)) {
    if (kind !== 'run' && isSameFile(what, file, chat.session.entry.workspace)) return true;
  }
  return false;
}

/** Successful commands that contain every word, each once, at its latest run in the first chat that has it. */
function commandsIn(chats: readonly IndexedChat[], text: string) {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const found = new Map<
    string,
    { readonly chat: IndexedChat; readonly message: number; readonly score: number; readonly what: string }
  >();
  for (const chat of chats) {
    for (const { kind, what, ok, message } of deedsIn(chat)) {
      const command = what.toLowerCase();
      if (kind !== 'run' || ok !== true || !words.every((word) => command.includes(word))) continue;
      const score = 1 / (1 + command.length);
      const known = found.get(what);
      if (known && known.chat !== chat) continue;
      found.set(what, { chat, message, score, what });
    }
  }
  return found.values();
}

/** Whether a path in a tool call is the given file, which may be a whole path or the end of one. */
function isSameFile(named: string, file: string, workspace: string | undefined): boolean {
  const path = slashes(named).replace(/^\.\//, '');
  const isWhole = /^(?:\/|[a-z]:\/)/i.test(path);
  const whole = isWhole || workspace === undefined ? path : `${slashes(workspace)}/${path}`;
  const wanted = slashes(file);
  return endsWithPath(whole, wanted) || (!isWhole && workspace === undefined && endsWithPath(wanted, path));
}

function endsWithPath(path: string, end: string): boolean {
  const [whole, part] = [slashes(path), slashes(end)];
  return whole === part || whole.endsWith(part.startsWith('/') ? part : `/${part}`);
}

/** Normalizes Windows paths, which have backslashes and drive letters in either case. */
const slashes = (path: string): string =>
  path
    .replaceAll('\\', '/')
    .replace(/^[a-z]:/i, (drive) => drive.toLowerCase())
    .replace(/\/+$/, '');
