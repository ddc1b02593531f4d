import { Redactor } from '../../core/redact/redact.ts';
import { textHash } from '../../core/text/hash.ts';
import { TranscriptError, type TranscriptMessage } from '../../core/transcript/transcript-message.ts';
import { StoreFault } from '../ports.ts';
import type { CopyRecord, KeptSession, LibraryStore } from './library-store.ts';
import { libraryEntryOf, readSession, type ReadSession } from './read-session.ts';
import { ChatIndex, indexOfMessages } from './chat-index.ts';
import { commonLength, fingerprints, hasIdInPath, relationKeys, relationsBetween } from './session-relations.ts';
import {
  isFileSystemError,
  readFailureReason,
  type UnreadablePath,
  type Source,
  type SourceFile,
  type Tool,
} from './source.ts';

interface KnownUnreadableFile {
  /** The file's size and time; undefined if reading it is retried even if it's unchanged. */
  readonly source: KeptSession['source'] | undefined;
  readonly unreadable: UnreadablePath;
}

export type CopiedSession = Pick<ReadSession, 'messages' | 'compactions' | 'lost'>;

export interface SyncReport {
  readonly read: number;
  readonly unchanged: number;
  readonly gone: number;
  readonly unreadable: readonly UnreadablePath[];
}

/** Chats that weren't changed for `keepMs` aren't kept. `now` is in ms since the epoch. */
interface Retention {
  readonly now: number;
  readonly keepMs: number;
}

export interface SyncOptions {
  /** Called with all files of a tool, before they are read. */
  readonly onFound?: (tool: Tool, files: readonly SourceFile[]) => void;
  readonly onProgress?: (done: number, total: number) => void;
  readonly isCancelled?: () => boolean;
  readonly onUnexpectedError?: (file: SourceFile, error: unknown) => void;
  readonly retention?: Retention | undefined;
  /** Whether chats that their tool has deleted are removed, too. */
  readonly removesGone?: boolean;
}

/** Time in ms between noticing that a copy's retention is over and removing it, because the clock may be wrong. */
const EXPIRY_DELAY_MS = 24 * 3_600_000;

/** Number of sessions after which the catalog is saved, so that `sync` doesn't start over after being killed. */
const SAVE_INTERVAL = 20;

/**
 * Keeps copies of the chats from other tools, which stay readable when the tool deletes or rewrites a chat. `sync`
 * appends changes to the copies. They become valid when the catalog is saved; if the process is killed before, they are
 * truncated and read again.
 */
export class Library {
  readonly #store: LibraryStore;
  readonly index: ChatIndex;
  readonly #sessions = new Map<string, KeptSession>();
  readonly #unreadableFiles = new Map<string, KnownUnreadableFile>();

  /** Has no sessions until its catalog is read. `isStrict`: as for `ChatIndex`. */
  constructor(store: LibraryStore, isStrict = false) {
    this.#store = store;
    this.index = new ChatIndex(store, isStrict);
  }

  static async open(store: LibraryStore): Promise<Library> {
    const library = new Library(store);
    await library.reload();
    return library;
  }

  /** Reads the catalog, which another process may have changed. */
  async reload(): Promise<void> {
    const sessions = await this.#store.catalog();
    this.#sessions.clear();
    for (const session of sessions) {
      // An earlier version stored titles with secrets.
      const title = new Redactor().redact(session.entry.title);
      this.#sessions.set(session.key, { ...session, entry: { ...session.entry, title } });
    }
  }

  sessions(): readonly KeptSession[] {
    return [...this.#sessions.values()];
  }

  async sync(
    sources: readonly Source[],
    { onFound, onProgress, isCancelled, onUnexpectedError, retention, removesGone = false }: SyncOptions = {},
  ): Promise<SyncReport> {
    const keptSince = retention ? retention.now - retention.keepMs : 0;
    const unreadable: UnreadablePath[] = [];
    const found: { source: Source; file: SourceFile; key: string }[] = [];
    const incompleteTools = new Set<Tool>();
    for (const source of sources) {
      const { files, unreadable: places } = await source.find();
      onFound?.(source.tool, files);
      unreadable.push(...places);
      // If some of a tool's chats can't be found, others may still exist.
      if (places.length > 0) incompleteTools.add(source.tool);
      for (const file of files) {
        const key = keyOf(file);
        if (file.modifiedAt >= keptSince || this.#sessions.has(key)) found.push({ source, file, key });
      }
    }
    const moved = this.#recognizeMoved(found);
    const changed: typeof found = [];
    for (const one of found) if (!(await this.#isUpToDate(one.key, one.file))) changed.push(one);
    const updated = new Set<string>();
    let unsaved = 0;
    let read = 0;
    for (const [done, { source, file, key }] of changed.entries()) {
      if (isCancelled?.() === true) break;
      if (await this.#tryUpdate(source, file, key, onUnexpectedError)) {
        read++;
        updated.add(key);
      }
      if (++unsaved % SAVE_INTERVAL === 0) await this.#save();
      onProgress?.(done + 1, changed.length);
    }
    const followed = new Set(sources.map(({ tool }) => tool).filter((tool) => !incompleteTools.has(tool)));
    const gone = this.#markGone(new Set(found.map(({ key }) => key)), followed);
    await this.#relate(updated);
    const hasMarked = this.#markExpired(retention);
    const outdated = this.sessions().filter(
      ({ isGone, expiredAt = Infinity }) =>
        (retention && retention.now - expiredAt >= EXPIRY_DELAY_MS) || (removesGone && isGone),
    );
    if (unsaved > 0 || gone > 0 || moved || hasMarked) await this.#save();
    await this.#remove(outdated);
    // A `sync` or a removal that was killed has left them.
    if (retention) await this.#store.removeUnlisted(new Set(this.#sessions.keys()), keptSince);
    for (const { key } of found) {
      const known = this.#unreadableFiles.get(key);
      if (known) unreadable.push(known.unreadable);
    }
    return { read, unchanged: found.length - changed.length, gone, unreadable };
  }

  /** Recognizes sessions whose file was moved, for example to an archive. Returns whether there are any. */
  #recognizeMoved(found: { readonly file: SourceFile; key: string }[]): boolean {
    const present = new Set(found.map(({ key }) => key));
    const absent = new Map<string, string>();
    for (const { key, entry } of this.#sessions.values())
      if (!present.has(key) && hasIdInPath(entry)) absent.set(`${entry.tool} ${entry.id}`, key);
    let hasMoved = false;
    for (const one of found) {
      const { file } = one;
      const name = `${file.tool} ${file.facts.id ?? ''}`;
      if (!this.#sessions.has(one.key)) one.key = absent.get(name) ?? one.key;
      absent.delete(name);
      const known = this.#sessions.get(one.key);
      if (!known || known.entry.path === file.path) continue;
      this.#sessions.set(one.key, { ...known, entry: { ...known.entry, path: file.path } });
      hasMoved = true;
    }
    return hasMoved;
  }

  async read({ key, copyBytes, lost = [] }: KeptSession): Promise<CopiedSession> {
    const messages: TranscriptMessage[] = [];
    let compactions: CopiedSession['compactions'] = [];
    for (const record of await this.#store.read(key, copyBytes)) {
      if ('message' in record) messages.push(record.message);
      else if ('compaction' in record) compactions = [...compactions, record.compaction];
      else {
        messages.splice(record.rewrittenFrom);
        compactions = compactions.filter(({ before }) => before <= record.rewrittenFrom);
      }
    }
    // A tool may insert a compaction before others.
    return { messages, compactions: compactions.toSorted((a, b) => a.before - b.before), lost };
  }

  /** Removes all copies of a tool's chats, including those that aren't in the catalog. */
  async forget(tool: Tool): Promise<void> {
    for (const [key, { unreadable }] of this.#unreadableFiles)
      if (unreadable.tool === tool) this.#unreadableFiles.delete(key);
    for (const { key, entry } of this.sessions()) if (entry.tool === tool) this.#sessions.delete(key);
    await this.#save();
    await this.#store.removeAll(tool);
  }

  async #remove(sessions: readonly KeptSession[]): Promise<void> {
    if (sessions.length === 0) return;
    for (const { key } of sessions) this.#sessions.delete(key);
    await this.#save();
    for (const { key } of sessions) await this.#store.remove(key);
  }

  /** Whether a file is unchanged since it was read, and its copy is complete. */
  async #isUpToDate(key: string, file: SourceFile): Promise<boolean> {
    // A session that has become unreadable is in both maps.
    const unreadable = this.#unreadableFiles.get(key);
    const copied = this.#sessions.get(key);
    const known = (unreadable ?? copied)?.source;
    if (known?.bytes !== file.bytes || known.modifiedAt !== file.modifiedAt) return false;
    return unreadable !== undefined || !copied || this.#store.isComplete(copied);
  }

  /** Updates the copy. Resolves to false if the session can't be read. */
  async #tryUpdate(
    source: Source,
    file: SourceFile,
    key: string,
    onUnexpectedError: SyncOptions['onUnexpectedError'],
  ): Promise<boolean> {
    let session: ReadSession | undefined;
    try {
      const copied = this.#sessions.get(key);
      // A damaged copy is written again from the beginning.
      const known = copied && (await this.#store.isComplete(copied)) ? copied : undefined;
      session = await readSession(source, file, known?.resume);
      await this.#update(file, key, session, known);
    } catch (error) {
      // Once the session has been read, the cause is the copy's disk, or another window that has become the writer.
      if (session && (isFileSystemError(error) || StoreFault.is(error))) throw error;
      const isRetried = isFileSystemError(error);
      if (!isRetried && !TranscriptError.is(error)) onUnexpectedError?.(file, error);
      this.#unreadableFiles.set(key, {
        source: isRetried ? undefined : fileStateOf(file),
        unreadable: { tool: file.tool, path: file.path, reason: readFailureReason(error) },
      });
      return false;
    }
    this.#unreadableFiles.delete(key);
    return true;
  }

  async #update(file: SourceFile, key: string, session: ReadSession, known: KeptSession | undefined): Promise<void> {
    const { records, from, messages, compactions } = await this.#difference(known, session);
    const copy = await this.#store.append(key, known?.copyBytes ?? 0, records, from);
    const added = records.flatMap((record) => ('message' in record ? [record.message] : []));
    const indexed = known?.indexBytes ?? 0;
    const { resume } = session.end;
    this.#sessions.set(key, {
      key,
      entry: { ...libraryEntryOf(file, session, known?.entry), messages, compactions },
      source: fileStateOf(file),
      ...(resume && { resume }),
      ...(session.lost.length > 0 && { lost: session.lost }),
      copyBytes: copy.bytes,
      indexBytes:
        records.length === 0
          ? indexed
          : await this.#store.appendIndex(key, indexed, indexOfMessages(added, from, copy.pieces)),
      first: from === 0 && added.length > 0 ? fingerprints(added.slice(0, 1))[0]! : (known?.first ?? 0),
      ...(known?.relation && { relation: known.relation }),
      isGone: false,
    });
  }

  /** The records to append to the copy, the index of their first message, and the new totals. */
  async #difference(known: KeptSession | undefined, { messages, compactions, end }: ReadSession) {
    const from = end.resumed ? (known?.resume?.messages ?? 0) : 0;
    const compacted = end.resumed ? (known?.resume?.compactions ?? 0) : 0;
    const placed = compactions.map((one) => ({ ...one, before: one.before + from }));
    const total = { messages: from + messages.length, compactions: compacted + compactions.length };
    const isAppended = known && end.resumed && known.entry.messages === from && known.entry.compactions === compacted;
    if (!known || isAppended) return { records: recordsOf(messages, placed, from), from, ...total };
    const copy = await this.read(known);
    const oldPrints = fingerprints(copy.messages.slice(from));
    const shared = commonLength(oldPrints, fingerprints(messages));
    const kept = copy.compactions.filter(({ before }) => before <= from + shared);
    const newCompactions = placed.filter(
      (one) => !kept.some(({ before, summary }) => before === one.before && summary === one.summary),
    );
    const records = recordsOf(messages.slice(shared), newCompactions, from + shared);
    return {
      records: shared < oldPrints.length ? [{ rewrittenFrom: from + shared }, ...records] : records,
      from: from + shared,
      ...total,
    };
  }

  /** Determines the relations between updated sessions and those with the same beginning. */
  async #relate(updated: ReadonlySet<string>): Promise<void> {
    const byRelationKey = new Map<string, KeptSession[]>();
    for (const one of this.#sessions.values())
      for (const name of relationKeys(one.entry, one.first)) {
        const known = byRelationKey.get(name);
        if (known) known.push(one);
        else byRelationKey.set(name, [one]);
      }
    const related = new Set<string>();
    for (const key of updated) {
      const first = this.#sessions.get(key);
      if (!first || related.has(key)) continue;
      const family = new Set([first]);
      for (const one of family)
        for (const name of relationKeys(one.entry, one.first))
          for (const other of byRelationKey.get(name) ?? []) family.add(other);
      const fingerprinted = [];
      for (const one of family) {
        related.add(one.key);
        fingerprinted.push({ entry: one.entry, prints: family.size > 1 ? await this.index.fingerprints(one) : [] });
      }
      const found = relationsBetween(fingerprinted);
      for (const one of family) {
        const { relation: _, ...session } = one;
        const relation = found.get(one.entry);
        this.#sessions.set(one.key, relation ? { ...session, relation } : session);
      }
    }
  }

  #markGone(keys: ReadonlySet<string>, tools: ReadonlySet<Tool>): number {
    let gone = 0;
    for (const session of this.#sessions.values()) {
      const isGone = tools.has(session.entry.tool) ? !keys.has(session.key) : session.isGone;
      if (isGone === session.isGone) continue;
      this.#sessions.set(session.key, { ...session, isGone });
      gone++;
    }
    return gone;
  }

  /** Records when the retention of chats is over, or that it isn't anymore. Returns whether anything has changed. */
  #markExpired(retention: Retention | undefined): boolean {
    let hasChanged = false;
    for (const session of this.sessions()) {
      const { expiredAt, ...unmarked } = session;
      const isExpired = retention !== undefined && session.source.modifiedAt < retention.now - retention.keepMs;
      // A later time is from a clock that was wrong.
      if (isExpired ? expiredAt !== undefined && expiredAt <= retention.now : expiredAt === undefined) continue;
      this.#sessions.set(session.key, isExpired ? { ...session, expiredAt: retention.now } : unmarked);
      hasChanged = true;
    }
    return hasChanged;
  }

  async #save(): Promise<void> {
    await this.#store.saveCatalog(this.sessions());
  }
}

const fileStateOf = ({ bytes, modifiedAt }: SourceFile): KeptSession['source'] => ({ bytes, modifiedAt });
const keyOf = ({ tool, path, key = '' }: SourceFile): string => `${tool}-${textHash([path, key])}`;

/** The records of messages and compactions, in order. `from`: the index of the first message. */
function recordsOf(
  messages: readonly TranscriptMessage[],
  compactions: CopiedSession['compactions'],
  from: number,
): CopyRecord[] {
  const rest = [...compactions];
  const takeUntil = (place: number): CopyRecord[] => {
    const end = rest.findIndex(({ before }) => before > place);
    return rest.splice(0, end < 0 ? rest.length : end).map((compaction) => ({ compaction }));
  };
  const records = messages.flatMap((message, index) => [...takeUntil(from + index), { message }]);
  return [...records, ...takeUntil(Infinity)];
}
