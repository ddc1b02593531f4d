import { TextDecoder } from 'node:util';

/** Decodes a file in pieces: UTF-16 if it begins with a byte order mark, or else UTF-8. The mark is removed. */
export async function* decodedText(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined;
  /** The first byte, until the second one has been read. */
  let head: readonly number[] = [];
  for await (const piece of pieces) {
    const bytes = head.length > 0 ? Uint8Array.of(...head, ...piece) : piece;
    head = [];
    if (!decoder && bytes.length < 2) head = [...bytes];
    else yield (decoder ??= new TextDecoder(encodingOf(bytes))).decode(bytes, { stream: true });
  }
  yield decoder ? decoder.decode() : new TextDecoder().decode(Uint8Array.from(head));
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}
