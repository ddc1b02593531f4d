import type { TranscriptMessage } from '../../src/core/transcript/transcript-message.ts';
import { TranscriptReader } from '../../src/core/transcript/transcript-reader.ts';

/** Reads a transcript from memory. Throws `TranscriptError`. */
export function readTranscript(text: string) {
  const reader = new TranscriptReader();
  const transcript: readonly TranscriptMessage[] = [...reader.push(text), ...reader.end()];
  return { ...reader.totals(), transcript };
}
