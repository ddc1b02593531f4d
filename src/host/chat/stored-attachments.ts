import { readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import * as v from 'valibot';
import { amountSchema, countSchema, idSchema } from '../../core/model/field-schemas.ts';
import type { SessionId } from '../../core/model/ids.ts';
import { attachmentSchema } from '../../core/model/message.ts';
import { errorCode } from '../../core/text/error-details.ts';
import { journalPath } from '../../storage/session-store.ts';
import { replaceFileNow, SessionFile, type SessionFileDeps } from './session-file.ts';

/**
 * Maximum length of a session's stored attachments, in UTF-16 units: an image of the maximum size and a large file.
 * Writing more would block the extension host noticeably.
 */
const MAX_STORED_LENGTH = 6_000_000;

const KIND = 'attachments';

const imageSchema = v.object({ type: v.literal('image'), mediaType: v.string(), base64: v.string() });
const itemSchema = v.variant('kind', [
  attachmentSchema,
  v.object({ kind: v.literal('image'), name: v.string(), image: imageSchema }),
]);
const attachmentEntries = { tokens: amountSchema, item: itemSchema };
/** The ID is part of a file's name. */
const storedSchema = v.object({ id: v.pipe(idSchema, v.regex(/^[\w-]+$/)), ...attachmentEntries });
export type StoredAttachment = v.InferOutput<typeof storedSchema>;

/** `isCut`: some were too large to be stored. */
const previewSchema = v.object({ attachments: v.array(storedSchema), isCut: v.boolean() });

/** `position` orders a session's attachments. `isCut`: the content is missing, because it was too large or damaged. */
const placeEntries = { position: countSchema, isCut: v.boolean() };
type Place = v.InferOutput<v.ObjectSchema<typeof placeEntries, undefined>>;
/** A file's first line: the attachment with an empty content. The rest of the file is the content, with this checksum. */
const headSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ ...attachmentEntries, ...placeEntries, crc: countSchema, encoding: v.picklist(['utf8', 'utf16le']) }),
);
type Head = v.InferOutput<typeof headSchema>;
type StoredFile = Omit<Head, 'crc' | 'encoding'>;

interface StoredAttachmentsDeps extends SessionFileDeps {
  /** Reports that some attachments were too large to be stored. */
  readonly reportCut: () => void;
  /** Reports that attachments couldn't be stored, so that they are lost when the window closes. */
  readonly reportFailure: () => void;
}

/**
 * The attachments in the composers, which survive a reload. Each is in a file of its own, so that windows don't overwrite
 * each other's, and a change writes only what is new. The content isn't JSON, which takes several times as long.
 */
export class StoredAttachments {
  readonly #deps: StoredAttachmentsDeps;
  /** The file in which preview versions stored all attachments of a session. */
  readonly #previewFile: SessionFile<v.InferOutput<typeof previewSchema>>;
  /** The sessions that still have such a file. */
  readonly #withPreviewFile = new Set<SessionId>();
  /** The attachments in files that this window has read or written, by session and ID. */
  readonly #places = new Map<SessionId, Map<string, Place>>();
  /** The attachments of the sessions whose files aren't up to date. `isWritten`: only removing files has failed. */
  readonly #unsaved = new Map<SessionId, { readonly all: readonly StoredAttachment[]; readonly isWritten: boolean }>();

  constructor(deps: StoredAttachmentsDeps) {
    this.#deps = deps;
    this.#previewFile = new SessionFile(deps, KIND, previewSchema);
  }

  read(session: SessionId): readonly StoredAttachment[] {
    const prefix = this.#prefix(session);
    if (prefix === undefined) return [];
    const places = new Map<string, Place>();
    this.#places.set(session, places);
    const found: StoredAttachment[] = [];
    for (const id of this.#storedIds(prefix)) {
      const file = this.#read(prefix + id);
      if (file === undefined) continue;
      places.set(
        id,
        file === 'damaged' ? { position: 0, isCut: true } : { position: file.position, isCut: file.isCut },
      );
      if (file !== 'damaged' && !file.isCut) found.push({ id, tokens: file.tokens, item: file.item });
    }
    found.sort((a, b) => places.get(a.id)!.position - places.get(b.id)!.position);
    const preview = this.#previewFile.read(session);
    const moved = preview?.attachments.filter(({ id }) => !places.has(id)) ?? [];
    if (found.length < places.size || preview?.isCut === true) this.#deps.reportCut();
    const all = [...found, ...moved];
    if (preview) this.#withPreviewFile.add(session);
    // Removes those that were too large. Otherwise, they would be reported again after the next reload.
    this.write(session, all);
    return all;
  }

  /** The next call or `retry` tries again what fails. */
  write(session: SessionId, all: readonly StoredAttachment[]): void {
    const prefix = this.#prefix(session);
    if (prefix === undefined) return;
    const places = this.#places.get(session) ?? new Map<string, Place>();
    this.#places.set(session, places);
    let isWritten = true;
    try {
      this.#writeNew(prefix, all, places);
    } catch (error) {
      this.#deps.warn(`A session’s ${KIND} could not be stored: ${String(error)}`);
      isWritten = false;
    }
    const hasMoved = isWritten && this.#withPreviewFile.has(session) && this.#previewFile.write(session, undefined);
    if (hasMoved) this.#withPreviewFile.delete(session);
    let isUpToDate = isWritten && !this.#withPreviewFile.has(session);
    const ids = new Set(all.map(({ id }) => id));
    for (const id of places.keys()) {
      if (ids.has(id)) continue;
      try {
        rmSync(prefix + id, { force: true });
        places.delete(id);
      } catch (error) {
        this.#deps.warn(`A session’s ${KIND} could not be removed: ${String(error)}`);
        isUpToDate = false;
      }
    }
    if (!isWritten && this.#unsaved.get(session)?.isWritten !== false) this.#deps.reportFailure();
    if (isUpToDate) this.#unsaved.delete(session);
    else this.#unsaved.set(session, { all, isWritten });
  }

  #writeNew(prefix: string, all: readonly StoredAttachment[], places: Map<string, Place>): void {
    let position = Math.max(0, ...[...places.values()].map((place) => place.position + 1));
    let room = MAX_STORED_LENGTH;
    for (const { id, tokens, item } of all) {
      const isCut = contentOf(item).length > room;
      if (!isCut) room -= contentOf(item).length;
      const before = places.get(id);
      if (before && (isCut || !before.isCut)) continue;
      const place = { position: before?.position ?? position++, isCut };
      replaceFileNow(prefix + id, encode({ tokens, item, ...place }));
      places.set(id, place);
    }
  }

  /** Writes or removes what couldn't be written or removed before, for example because the disk was full. */
  retry(): void {
    for (const [session, { all }] of this.#unsaved) this.write(session, all);
  }

  /** Forgets the attachments of an erased session. */
  forget(session: SessionId): void {
    this.#places.delete(session);
    this.#unsaved.delete(session);
    this.#withPreviewFile.delete(session);
  }

  /** The path of a session's files without the attachment's ID. */
  #prefix(session: SessionId): string | undefined {
    return journalPath(this.#deps.folder, session)?.replace(/jsonl$/, 'attachment-');
  }

  #storedIds(prefix: string): readonly string[] {
    const name = path.basename(prefix);
    try {
      const names = readdirSync(path.dirname(prefix)).filter((one) => one.startsWith(name));
      return names.map((one) => one.slice(name.length)).filter((id) => !id.includes('.'));
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') this.#warnUnreadable(error);
      return [];
    }
  }

  /** Undefined if the file is gone or can't be read. */
  #read(file: string): StoredFile | 'damaged' | undefined {
    try {
      return decode(readFileSync(file)) ?? 'damaged';
    } catch (error) {
      // Another window has sent or removed it.
      if (errorCode(error) !== 'ENOENT') this.#warnUnreadable(error);
      return undefined;
    }
  }

  #warnUnreadable(error: unknown): void {
    this.#deps.warn(`A session’s ${KIND} could not be read: ${String(error)}`);
  }
}

type Item = StoredAttachment['item'];

const contentOf = (item: Item): string => (item.kind === 'image' ? item.image.base64 : item.text);

const withContent = (item: Item, content: string): Item =>
  item.kind === 'image' ? { ...item, image: { ...item.image, base64: content } } : { ...item, text: content };

function encode({ item, ...others }: StoredFile): readonly Uint8Array[] {
  const content = others.isCut ? '' : contentOf(item);
  // UTF-8 can't represent a lone surrogate.
  const encoding = content.isWellFormed() ? 'utf8' : 'utf16le';
  const encoded = Buffer.from(content, encoding);
  const head: Head = { ...others, item: withContent(item, ''), crc: crc32(encoded), encoding };
  return [Buffer.from(`${JSON.stringify(head)}\n`), encoded];
}

function decode(file: Buffer): StoredFile | undefined {
  const end = file.indexOf('\n');
  const parsed = v.safeParse(headSchema, file.toString('utf8', 0, Math.max(0, end)));
  if (!parsed.success) return undefined;
  const { item, crc, encoding, ...others } = parsed.output;
  const content = file.subarray(end + 1);
  // A power failure may cut off the end of a file or fill it with zeros.
  const isCut = others.isCut || crc32(content) !== crc;
  return { ...others, isCut, item: withContent(item, content.toString(encoding)) };
}
