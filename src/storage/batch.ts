import { StoreFault, type Clock } from '../app/ports.ts';
import { breathe } from '../core/pace/breather.ts';
import { resting } from '../core/pace/steps.ts';
import { encodeSteps, JOURNAL_VERSION, type Envelope } from '../core/journal/envelope.ts';
import type { SessionEvent } from '../core/journal/schema.ts';
import { phrase } from '../core/text/phrase.ts';
import { nativeChecksum } from './checksum.ts';
import { MAX_LINE_BYTES } from './line-scanner.ts';

/** A line as it was written; `length` is its bytes without the newline. */
export interface WrittenLine {
  readonly envelope: Envelope;
  readonly sum: string;
  readonly length: number;
}

/** Events as they go to disk in one write. */
export interface Batch {
  readonly lines: readonly WrittenLine[];
  readonly bytes: Buffer;
}

const TOO_LARGE = phrase('This message is larger than 128 MB and can’t be saved. Split it into smaller messages.');

/** Lines are gathered into pieces of about so many characters. */
const PIECE_CHARS = 64 * 1024;

/** Encodes events as lines whose sequence numbers follow `after`. Throws when an event cannot be written as JSON. */
export async function encodeBatch(
  events: readonly SessionEvent[],
  after: number,
  writer: string,
  clock: Clock,
): Promise<Batch> {
  const at = clock.now();
  const lines: WrittenLine[] = [];
  const pieces: Buffer[] = [];
  let text = '';
  for (const body of events) {
    const envelope: Envelope = { v: JOURNAL_VERSION, seq: after + lines.length + 1, at, writer, body };
    const encoded = await resting(encodeSteps(envelope, nativeChecksum), clock.breather);
    const length = Buffer.byteLength(encoded.line);
    if (length > MAX_LINE_BYTES) throw new StoreFault('too_large', TOO_LARGE);
    lines.push({ envelope: encoded.envelope, sum: encoded.sum, length });
    text += `${encoded.line}\n`;
    if (text.length > PIECE_CHARS) {
      pieces.push(Buffer.from(text));
      text = '';
    }
    await breathe(clock.breather);
  }
  pieces.push(Buffer.from(text));
  return { lines, bytes: pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces) };
}
