import type { MessageId } from './ids.ts';
import type { Span } from './key-event.ts';

export type Role = 'system' | 'user' | 'assistant' | 'tool';

/** One block of a message's content. `json` is a tool call's input exactly as the provider gave it. */
export type ContentBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly mediaType: string; readonly base64: string }
  | { readonly type: 'tool_call'; readonly callId: string; readonly name: string; readonly json: string }
  | { readonly type: 'tool_result'; readonly callId: string; readonly text: string; readonly isError: boolean };

export type ImageBlock = Extract<ContentBlock, { readonly type: 'image' }>;

/** Text that came with a user message: a file, a selection, problems, a paste. Line numbers are 1-based, inclusive. */
export interface Attachment {
  readonly kind: 'file' | 'selection' | 'problems' | 'terminal' | 'paste';
  readonly name: string;
  readonly text: string;
  readonly uri?: string;
  readonly lines?: readonly [number, number];
}

/**
 * Tokens as the provider reported them. `cachedInput` is the part of `input` read from its prompt cache, `reasoning`
 * the part of `output` that the model thought.
 */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly reasoning?: number;
  readonly cachedInput?: number;
  readonly cacheWrite?: number;
  /** The part of `cacheWrite` that is kept for an hour, at a higher price. */
  readonly cacheWriteHour?: number;
}

/** Why a reply ended. `stopped` by the user; `interrupted` by a fault, a reload or a shutdown: its text is partial. */
export type Ending = 'complete' | 'length' | 'stopped' | 'interrupted';

/**
 * One message of a session. Messages form a tree by `parent`: a second child of the same parent is a new branch.
 * `at` is milliseconds since the epoch.
 */
export interface Message {
  readonly id: MessageId;
  readonly parent: MessageId | null;
  readonly role: Role;
  readonly content: readonly ContentBlock[];
  readonly at: number;
  readonly attachments?: readonly Attachment[];
  /** What of a user's text was pasted, as offsets (UTF-16 units) into `messageText`. */
  readonly pasted?: readonly Span[];
  readonly model?: string;
  readonly usage?: Usage;
  readonly ending?: Ending;
}

/** The text of a message's blocks, joined by a newline: what offsets of key events and citations count in. */
export function messageText(message: Pick<Message, 'content'>): string {
  const first = message.content[0];
  if (message.content.length === 1 && first?.type === 'text') return first.text;
  const parts: string[] = [];
  for (const block of message.content) {
    switch (block.type) {
      case 'text':
      case 'tool_result':
        parts.push(block.text);
        break;
      case 'tool_call':
        parts.push(`${block.name} ${block.json}`);
        break;
      case 'image':
        break;
    }
  }
  return parts.join('\n');
}
