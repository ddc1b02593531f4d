import { newestThatFit } from '../systems/plain.ts';
import type { System } from '../systems/system.ts';

interface Part {
  readonly type: string;
  readonly text?: string;
  readonly output?: { readonly type: string; readonly value: string };
}

interface ModelMessage {
  readonly role: 'user' | 'assistant' | 'tool';
  readonly content: string | readonly (Part & Readonly<Record<string, unknown>>)[];
}

interface Sdk {
  readonly pruneMessages: (options: {
    readonly messages: readonly ModelMessage[];
    readonly toolCalls?: 'before-last-message' | `before-last-${number}-messages`;
  }) => readonly ModelMessage[];
}

/** The Vercel AI SDK's `pruneMessages`: as it stands, and with old tool calls removed and the newest that fit kept. */
export async function aiSdkSystems(load: <T>(name: string) => Promise<T>): Promise<readonly System[]> {
  const { pruneMessages } = await load<Sdk>('ai');
  return (['defaults', 'old tool calls removed, the newest that fit'] as const).map((label) => ({
    id: label === 'defaults' ? 'pruneMessages' : 'pruneMessagesBest',
    label: `Vercel AI pruneMessages, ${label}`,
    asks: false,
    shape: 'json',
    assemblesInTurn: false,
    open({ budget, counter }) {
      const all: ModelMessage[] = [];
      return Promise.resolve({
        spent: { calls: 0, input: 0, output: 0 },
        turn({ ask, rest }) {
          all.push({ role: 'user', content: ask });
          for (const { role, text } of rest) {
            if (role !== 'tool') all.push({ role: 'assistant', content: [{ type: 'text', text }] });
            else all.push(...toolCall(`call-${all.length}`, text));
          }
          return Promise.resolve();
        },
        context() {
          if (label === 'defaults') return Promise.resolve(pruneMessages({ messages: all }).map(textOf).join('\n'));
          const pruned = pruneMessages({ messages: all, toolCalls: 'before-last-10-messages' });
          return Promise.resolve(newestThatFit(pruned.map(textOf), budget, counter).join('\n'));
        },
        close: () => Promise.resolve(),
      });
    },
  }));
}

/** A transcript's tool output as a call and its result. */
function toolCall(toolCallId: string, value: string): ModelMessage[] {
  const of = { toolCallId, toolName: 'run' };
  return [
    { role: 'assistant', content: [{ type: 'tool-call', ...of, input: {} }] },
    { role: 'tool', content: [{ type: 'tool-result', ...of, output: { type: 'text', value } }] },
  ];
}

const textOf = ({ content }: ModelMessage): string =>
  typeof content === 'string' ? content : content.map(({ text, output }) => text ?? output?.value ?? '').join('\n');
