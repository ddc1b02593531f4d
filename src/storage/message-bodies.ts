import { closeSync, openSync, readSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { decodeLine } from '../core/journal/envelope.ts';
import type { MessageId } from '../core/model/ids.ts';
import type { Message } from '../core/model/message.ts';
import type { MessageBodies } from '../core/state/message-log.ts';
import { nativeChecksum } from './checksum.ts';
import { errorCode } from './disk-errors.ts';

/** A message by its place alone: `parent` is 0 when it follows the head; `offset` and `length` are bytes of its line. */
export type Place = readonly [id: string, parent: string | null | 0, role: number, offset: number, length: number];
/** Messages that are read one after the other come from one piece of the file, in bytes. */
const PIECE_BYTES = 64 * 1024;

/**
 * Reads single messages from a journal, at places that a checkpoint has kept. It reads at once, not in the background:
 * a message is some kilobytes in a file that is mostly in the system's cache, and whoever asks needs it now.
 */
export class JournalBodies implements MessageBodies {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #places = new Map<MessageId, Place>();
  #piece: { readonly start: number; readonly bytes: Buffer } | undefined;
  readonly #onDamage: () => void;

  /**
   * `file` is used while it is open, `path` afterwards. `onDamage` is called when a line is not what it was when the
   * checkpoint was made.
   */
  constructor(path: string, file: FileHandle, onDamage: () => void) {
    this.#path = path;
    this.#file = file;
    this.#onDamage = onDamage;
  }

  add(id: MessageId, place: Place): void {
    this.#places.set(id, place);
  }

  read(id: MessageId): Message | undefined {
    const place = this.#places.get(id);
    if (!place) return undefined;
    const line = decodeLine(this.#line(place[3], place[4]).toString(), nativeChecksum);
    const body = line.kind === 'event' ? line.envelope.body : undefined;
    if (body?.type === 'message_added' && body.message.id === id) return body.message;
    this.#onDamage();
    return undefined;
  }

  #line(offset: number, length: number): Buffer {
    const known = this.#piece;
    if (known && offset >= known.start && offset + length <= known.start + known.bytes.length) {
      return known.bytes.subarray(offset - known.start, offset - known.start + length);
    }
    const bytes = this.#readAt(offset, Math.max(length, PIECE_BYTES));
    this.#piece = { start: offset, bytes };
    return bytes.subarray(0, length);
  }

  #readAt(offset: number, length: number): Buffer {
    const buffer = Buffer.allocUnsafe(length);
    let filled = 0;
    try {
      const fd = this.#file.fd >= 0 ? this.#file.fd : openSync(this.#path, 'r');
      try {
        while (filled < length) {
          const read = readSync(fd, buffer, filled, length - filled, offset + filled);
          if (read === 0) break;
          filled += read;
        }
      } finally {
        if (fd !== this.#file.fd) closeSync(fd);
      }
    } catch (error) {
      if (errorCode(error) === undefined) throw error;
    }
    return buffer.subarray(0, filled);
  }
}
