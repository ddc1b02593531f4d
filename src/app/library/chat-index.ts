import type { Role } from '../../core/model/message.ts';
import { bestExcerpt } from '../../core/search/excerpt.ts';
import { Redactor } from '../../core/redact/redact.ts';
import { searchBlocks, SearchScratch, type SearchedBlock } from '../../core/search/block-search.ts';
import {
  decodeBlocks,
  encodeBlock,
  indexBlockOf,
  STORED_ROLES,
  type IndexBlock,
} from '../../core/search/index-block.ts';
import { toolEffectsOf, type ToolEffect } from '../../core/text/tool-effects.ts';
import type { TranscriptMessage } from '../../core/transcript/transcript-message.ts';
import { isRecalled } from '../record-section.ts';
import { unlessRemoved, type CopyPiece, type KeptSession, type LibraryStore } from './library-store.ts';
import type { Tool } from './source.ts';

/** A search in the copied chats. Undefined fields match everything. */
export interface ChatQuery {
  readonly text: string;
  readonly limit: number;
  /** Without a text, finds the newest messages, at most this many per chat. By default, none. */
  readonly newestPerChat?: number | undefined;
  readonly tools?: readonly Tool[] | undefined;
  /** The workspace's path, or the end of it. */
  readonly workspace?: string | undefined;
  readonly roles?: readonly Role[] | undefined;
  /** Limits for the chat's last change, in ms since the epoch. */
  readonly since?: number | undefined;
  readonly before?: number | undefined;
  /** Only matches chats that read or changed this file. A whole path, or the end of one. */
  readonly file?: string | undefined;
  /** Searches the commands that ran successfully instead of the messages. */
  readonly commands?: boolean | undefined;
  /** Only chats in these folders or in folders inside them. */
  readonly folders?: readonly string[] | undefined;
  /** Maximum length of an excerpt in UTF-16 units; by default 300. */
  readonly excerptUnits?: number | undefined;
  /** Masks secrets in the results. Offsets are those in the masked message. */
  readonly redact?: boolean | undefined;
}

export interface ChatHit {
  readonly key: string;
  /** Index of the message. */
  readonly message: number;
  readonly role: Role;
  readonly at?: number | undefined;
  /** An excerpt of the message, or the command. */
  readonly text: string;
  readonly score: number;
}

/** A tool call that read or changed a file. */
export interface FileEffect extends ToolEffect {
  readonly key: string;
  readonly message: number;
}

/** Maximum size of the indexes that are cached in memory. Others are read from disk for each search. */
const MAX_CACHED_BYTES = 160 << 20;
/** Default length of an excerpt in UTF-16 units. */
const EXCERPT_UNITS = 300;
/** Number of candidates per requested result, because copies of a chat have the same messages. */
const CANDIDATE_FACTOR = 3;

type PlacedEffect = ToolEffect & { readonly callId: string; readonly message: number };

/** The data stored with an index block. Message numbers are indexes within the chat. */
interface BlockFacts {
  readonly from: number;
  readonly pieces: readonly CopyPiece[];
  readonly deeds: readonly PlacedEffect[];
  /** Tool call IDs and whether the calls succeeded. A call may be in an earlier block. */
  readonly results: readonly (readonly [string, boolean])[];
}

/** Encodes the index block of messages appended to a copy: `pieces` are their locations, `from` the first's index. */
export function indexOfMessages(
  messages: readonly TranscriptMessage[],
  from: number,
  pieces: readonly CopyPiece[],
): Uint8Array {
  const effects: PlacedEffect[] = [];
  const results = new Map<string, boolean>();
  for (const [index, { blocks = [] }] of messages.entries()) {
    const found = toolEffectsOf(blocks);
    for (const effect of found.effects) effects.push({ ...effect, message: from + index });
    for (const [call, ok] of found.results) results.set(call, ok);
  }
  const facts: BlockFacts = { from, pieces, deeds: effects, results: [...results] };
  return encodeBlock(searchableBlock(messages), facts);
}

/** The index block of messages, without the words of those that only quote other chats. */
export const searchableBlock = (messages: readonly TranscriptMessage[]): IndexBlock =>
  indexBlockOf(messages, (message) => !isRecalled(message));

interface ChatBlock extends SearchedBlock {
  readonly facts: BlockFacts;
}

interface IndexedChat {
  readonly session: KeptSession;
  readonly blocks: readonly ChatBlock[];
}

interface RankedMessage {
  readonly chat: IndexedChat;
  readonly message: number;
  readonly score: number;
  /** The command, if commands are searched. */
  readonly command?: string;
  /** The message's fingerprint. */
  readonly print?: number;
}

/** Searches the copied chats with the indexes that are stored next to the copies. */
export class ChatIndex {
  readonly #store: LibraryStore;
  readonly #isStrict: boolean;
  readonly #maxBytes: number;
  readonly #cached = new Map<string, IndexedChat>();
  readonly #scratch = new SearchScratch();

  /** Unless `isStrict`, chats whose files have been shortened or deleted from outside are skipped. */
  constructor(store: LibraryStore, isStrict = false, maxBytes = MAX_CACHED_BYTES) {
    this.#store = store;
    this.#isStrict = isStrict;
    this.#maxBytes = maxBytes;
  }

  get cachedBytes(): number {
    return [...this.#cached.values()].reduce((sum, { session }) => sum + session.indexBytes, 0);
  }

  /** The best results, best first. */
  async search(sessions: readonly KeptSession[], query: ChatQuery): Promise<readonly ChatHit[]> {
    const found: RankedMessage[] = [];
    const commands = new Map<string, RankedMessage>();
    for await (const group of this.#groups(sessions.filter((session) => matchesFilters(session, query)))) {
      const chats =
        query.file === undefined ? group : group.filter((chat) => effectsOnFile(chat, query.file!).length > 0);
      if (query.commands === true) collectCommands(commands, chats, query.text);
      else if (query.text === '') {
        for (const chat of chats) found.push(...newestMessages(chat, query));
        // The remaining chats are older.
        if (found.length >= query.limit * CANDIDATE_FACTOR) break;
      } else {
        const blocks = chats.flatMap((chat) => chat.blocks.map((block) => ({ ...block, chat })));
        const { roles } = query;
        const limit = query.limit * CANDIDATE_FACTOR;
        for (const hit of searchBlocks(blocks, query.text, { limit, ...(roles && { roles }) }, this.#scratch)) {
          const { chat, facts, block } = blocks[hit.block]!;
          const print = block.fingerprints[hit.message]!;
          found.push({ chat, message: facts.from + hit.message, score: hit.score, print });
        }
      }
    }
    found.push(...commands.values());
    found.sort((a, b) => b.score - a.score || b.chat.session.entry.updatedAt - a.chat.session.entry.updatedAt);
    const best = withoutCopies(found).slice(0, query.limit);
    const hits = await Promise.all(best.map((ranked) => this.#hit(ranked, query)));
    return hits.filter((hit) => hit !== undefined);
  }

  /** The tool calls that read or changed a file, newest chat first. `file` is a whole path, or the end of one. */
  async effectsOn(sessions: readonly KeptSession[], file: string): Promise<readonly FileEffect[]> {
    const effects: FileEffect[] = [];
    for await (const group of this.#groups(sessions))
      for (const chat of group)
        for (const { kind, what, ok, message } of effectsOnFile(chat, file))
          effects.push({ key: chat.session.key, kind, what, ok, message });
    return effects;
  }

  async fingerprints(session: KeptSession): Promise<readonly number[]> {
    const chat = await unlessRemoved(this.#store, session, () => this.#chat(session));
    return chat?.blocks.flatMap(({ block, valid }) => [...block.fingerprints.subarray(0, valid)]) ?? [];
  }

  async #hit(
    { chat, message, score, command }: RankedMessage,
    { text: query, excerptUnits = EXCERPT_UNITS, redact = false }: ChatQuery,
  ): Promise<ChatHit | undefined> {
    const { session } = chat;
    const { key } = session;
    const block = chat.blocks.findLast(({ facts, valid }) => facts.from <= message && message < facts.from + valid);
    const piece = block?.facts.pieces.findLast(({ first }) => first <= message);
    const found = piece && (await this.#read(session, () => this.#store.readMessage(key, piece, message)));
    if (!found) return undefined;
    const { role, at, text } = found;
    // Redacts the whole message, because an excerpt may cut off the part by which a secret is recognized.
    const mask = (one: string): string => (redact ? new Redactor().redact(one) : one);
    const whole = mask(text);
    const { start, end } = bestExcerpt(whole, query, excerptUnits);
    const shown = command === undefined ? whole.slice(start, end) : mask(command);
    return { key, message, role, at, text: shown, score };
  }

  /** Loads the indexes in groups that fit in memory. The group with the newest chats is cached. */
  async *#groups(sessions: readonly KeptSession[]): AsyncGenerator<readonly IndexedChat[]> {
    const newest = [...sessions].sort((a, b) => b.entry.updatedAt - a.entry.updatedAt);
    for (let from = 0, to = 0; from < newest.length; from = to) {
      let bytes = 0;
      while (to < newest.length && (to === from || bytes + newest[to]!.indexBytes <= this.#maxBytes)) {
        bytes += newest[to++]!.indexBytes;
      }
      const group: IndexedChat[] = [];
      // One after the other, because the system limits the number of open files.
      for (const session of newest.slice(from, to)) {
        const chat = await this.#read(session, () => this.#chat(session));
        if (chat) group.push(chat);
      }
      if (from === 0) this.#cache(group);
      yield group;
    }
  }

  #read<T>(session: KeptSession, read: () => Promise<T>): Promise<T | undefined> {
    return unlessRemoved(this.#store, session, read, this.#isStrict);
  }

  #cache(chats: readonly IndexedChat[]): void {
    for (const chat of chats) {
      this.#cached.delete(chat.session.key);
      this.#cached.set(chat.session.key, chat);
    }
    let bytes = this.cachedBytes;
    for (const [key, { session }] of this.#cached) {
      if (bytes <= this.#maxBytes) break;
      this.#cached.delete(key);
      bytes -= session.indexBytes;
    }
  }

  async #chat(session: KeptSession): Promise<IndexedChat> {
    const cached = this.#cached.get(session.key);
    if (cached?.session.indexBytes === session.indexBytes) return { ...cached, session };
    const decoded = decodeBlocks(await this.#store.readIndex(session.key, session.indexBytes));
    const blocks: ChatBlock[] = [];
    let end = Infinity;
    for (const { block, about } of decoded.reverse()) {
      // The cast is safe: `indexOfMessages` wrote the blocks, and only those that the catalog lists as valid are read.
      const facts = about as BlockFacts;
      blocks.unshift({ block, facts, valid: Math.max(0, Math.min(block.messages, end - facts.from)) });
      end = Math.min(end, facts.from);
    }
    return { session, blocks };
  }
}

/** Results without further copies of the same message, as in a chat that was continued in another file. */
function withoutCopies(ranked: readonly RankedMessage[]): readonly RankedMessage[] {
  const seen = new Set<string>();
  return ranked.filter(({ chat, print }) => {
    const message = `${chat.session.entry.tool} ${print ?? ''}`;
    if (print !== undefined && seen.has(message)) return false;
    seen.add(message);
    return true;
  });
}

function matchesFilters({ entry, source }: KeptSession, query: ChatQuery): boolean {
  const { tools, workspace, folders, since, before } = query;
  // A changed file may have newer messages than its index.
  const changedAt = Math.max(entry.updatedAt, source.modifiedAt);
  return (
    tools?.includes(entry.tool) !== false &&
    (workspace === undefined || endsWithPath(entry.workspace ?? '', workspace)) &&
    folders?.some((folder) => isInFolder(entry.workspace ?? '', folder)) !== false &&
    (since === undefined || changedAt >= since) &&
    (before === undefined || entry.updatedAt < before)
  );
}

function* effectsIn({ blocks }: IndexedChat): Generator<PlacedEffect> {
  const results = new Map(blocks.flatMap(({ facts }) => facts.results));
  for (const { facts, valid } of blocks) {
    for (const effect of facts.deeds) {
      if (effect.message >= facts.from + valid) continue;
      const ok = results.get(effect.callId);
      yield ok === undefined ? effect : { ...effect, ok };
    }
  }
}

const effectsOnFile = (chat: IndexedChat, file: string): readonly PlacedEffect[] =>
  [...effectsIn(chat)].filter(
    ({ kind, what }) => kind !== 'run' && isSameFile(what, file, chat.session.entry.workspace),
  );

/** The newest messages that have words, newest first. They have the same score, so newer chats are first. */
function newestMessages(chat: IndexedChat, { newestPerChat = 0, roles = STORED_ROLES }: ChatQuery): RankedMessage[] {
  const found: RankedMessage[] = [];
  for (const { block, facts, valid } of chat.blocks.toReversed()) {
    if (found.length >= newestPerChat) break;
    const withWords = new Set(block.owners);
    for (let at = valid - 1; at >= 0 && found.length < newestPerChat; at--) {
      if (withWords.has(at) && roles.includes(STORED_ROLES[block.roles[at]!]!))
        found.push({ chat, message: facts.from + at, score: 0, print: block.fingerprints[at]! });
    }
  }
  return found;
}

/** Collects the successful commands that contain all words. Of each command, keeps the latest run in its first chat. */
function collectCommands(found: Map<string, RankedMessage>, chats: readonly IndexedChat[], text: string): void {
  const words = text.toLowerCase().match(/\S+/g) ?? [];
  for (const chat of chats) {
    for (const { kind, what: command, ok, message } of effectsIn(chat)) {
      const lowerCase = command.toLowerCase();
      if (kind !== 'run' || ok !== true || !words.every((word) => lowerCase.includes(word))) continue;
      const known = found.get(command);
      if (known && known.chat !== chat) continue;
      found.set(command, { chat, message, score: 1 / (1 + lowerCase.length), command });
    }
  }
}

/** Whether a path in a tool call is the file. `file` is a whole path, or the end of one. */
function isSameFile(named: string, file: string, workspace: string | undefined): boolean {
  const path = normalizePath(named).replace(/^\.\//, '');
  const isWhole = /^(?:\/|[a-z]:\/)/i.test(path);
  const whole = isWhole || workspace === undefined ? path : `${normalizePath(workspace)}/${path}`;
  const wanted = normalizePath(file);
  return endsWithPath(whole, wanted) || (!isWhole && workspace === undefined && endsWithPath(wanted, path));
}

/** Whether a path is `end`, or ends with its folders. */
export function endsWithPath(path: string, end: string): boolean {
  const [whole, part] = [normalizePath(path), normalizePath(end)];
  return whole === part || whole.endsWith(part.startsWith('/') ? part : `/${part}`);
}

function isInFolder(path: string, folder: string): boolean {
  return `${normalizePath(path)}/`.startsWith(`${normalizePath(folder)}/`);
}

/** Makes paths comparable: macOS may return accents decomposed, and Windows has backslashes and drive letters. */
const normalizePath = (path: string): string =>
  path
    .normalize('NFC')
    .replaceAll('\\', '/')
    .replace(/^[a-z]:/i, (drive) => drive.toLowerCase())
    .replace(/\/+$/, '');
