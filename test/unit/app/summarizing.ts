import type { SummarizerConfig } from '../../../src/app/summarizer.ts';
import { messageText } from '../../../src/core/model/message.ts';

/** A summarizer that answers each prompt with a text, or with nothing if the text is empty. */
export function summarizing(answer: (prompt: string, system: string) => string, id = 'test/summarizer') {
  const model: SummarizerConfig['model'] = {
    id,
    provider: 'test',
    model: 'summarizer',
    maxConcurrency: 1,
    async *stream({ system, messages }) {
      await Promise.resolve();
      const text = answer(messages.map(messageText).join('\n'), system.join('\n'));
      if (text !== '') yield { type: 'text', text };
      yield { type: 'end', ending: 'complete' };
    },
  };
  return { model, maxInputTokens: 100_000 };
}

/** The messages that a prompt shows, and the number of words that it asks for. */
export const askedIn = (prompt: string): { readonly record: string; readonly words: number } => ({
  record: prompt.split(/^=====\w+=====$/m)[1] ?? '',
  words: Number(/about (\d+) words/.exec(prompt)?.[1] ?? 20),
});
