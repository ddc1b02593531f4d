import type { TranscriptMessage } from '../../src/core/transcript/transcript-message.ts';
import { TranscriptReader, type TranscriptTotals } from '../../src/core/transcript/transcript-reader.ts';

/** Reads a transcript from memory. Throws `TranscriptError`. */
export function readTranscript(text: string): TranscriptTotals & { readonly transcript: readonly TranscriptMessage[] } {
  const reader = new TranscriptReader();
  const transcript = [...reader.push(text), ...reader.end()];
  return { ...reader.totals(), transcript };
}
