import type { Transform } from 'node:stream';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { phrase } from '../core/text/phrase.ts';
import { TranscriptError } from '../core/transcript/transcript-message.ts';

/** Decompresses zstd. Throws `TranscriptError` if Node.js is too old. */
export async function zstdDecompressed(data: Uint8Array): Promise<Buffer> {
  checkSupport();
  return promisify<Uint8Array, Buffer>(zlib.zstdDecompress)(data);
}

/** A stream that decompresses zstd. Throws `TranscriptError` if Node.js is too old. */
export function zstdDecompressor(): Transform {
  checkSupport();
  return zlib.createZstdDecompress();
}

function checkSupport(): void {
  // The function is missing before Node.js 22.15, although its type isn't optional.
  if ('zstdDecompress' in zlib) return;
  throw new TranscriptError(
    phrase('Reading this file requires Node.js 22.15 or later. Update VS Code or Node.js and try again.'),
  );
}
