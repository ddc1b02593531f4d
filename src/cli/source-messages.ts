import type { SourceMessage } from '../core/compress/source.ts';
import { messageId } from '../core/model/ids.ts';
import { contentOf, type TranscriptMessage } from '../core/transcript/transcript-message.ts';

/** A transcript's messages as the compression takes them; the id of each is its index. */
export function sourceMessages(transcript: readonly TranscriptMessage[]): SourceMessage[] {
  return transcript.map((message, index) => ({
    id: messageId(String(index)),
    role: message.role,
    content: contentOf(message),
  }));
}
