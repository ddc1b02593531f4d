import { messageText } from '../model/message.ts';
import type { SourceMessage } from './source.ts';

/** Messages as one text, each under its speaker. */
export const renderTranscript = (messages: readonly SourceMessage[]): string =>
  messages.map((message) => `${message.role}: ${messageText(message)}`).join('\n');
