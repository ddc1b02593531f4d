import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import * as vscode from 'vscode';
import { phrase } from '../../core/text/phrase.ts';
import { TranscriptError } from '../../core/transcript/transcript-message.ts';

/** Bytes read at once: what is made of them takes a few milliseconds. */
const PIECE_BYTES = 64 * 1024;

/** A piece of a file's text, and how much of the file is read with it (0 to 1). */
interface Piece {
  readonly text: string;
  readonly share: number;
}

/** A file's text piece by piece, so that a file of any size takes little memory. Throws `TranscriptError`. */
export async function* textOf(uri: vscode.Uri): AsyncGenerator<Piece> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let read = 0;
  try {
    const { size, pieces } = uri.scheme === 'file' ? await onDisk(uri) : await elsewhere(uri);
    for await (const bytes of pieces) {
      read += bytes.length;
      yield { text: decoder.decode(bytes, { stream: true }), share: Math.min(1, read / Math.max(1, size)) };
      await new Promise((resolve) => setImmediate(resolve));
    }
  } catch (error) {
    if (!(error instanceof vscode.FileSystemError) && !(error instanceof Error && 'code' in error)) throw error;
    throw new TranscriptError(
      phrase('Can’t read {0}. Check that the file exists and that you have permission to read it.', fileName(uri)),
    );
  }
  yield { text: decoder.decode(), share: 1 };
}

export function fileName(uri: vscode.Uri): string {
  return uri.path.slice(uri.path.lastIndexOf('/') + 1);
}

interface Source {
  readonly size: number;
  readonly pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

async function onDisk(uri: vscode.Uri): Promise<Source> {
  const { size } = await stat(uri.fsPath);
  const stream: AsyncIterable<Uint8Array> = createReadStream(uri.fsPath, { highWaterMark: PIECE_BYTES });
  return { size, pieces: stream };
}

/** Other file systems of the editor give a file as a whole. */
async function elsewhere(uri: vscode.Uri): Promise<Source> {
  const bytes = await vscode.workspace.fs.readFile(uri);
  const starts = Array.from({ length: Math.ceil(bytes.length / PIECE_BYTES) }, (_, index) => index * PIECE_BYTES);
  return { size: bytes.length, pieces: starts.map((start) => bytes.subarray(start, start + PIECE_BYTES)) };
}
