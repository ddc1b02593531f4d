import { phrase, type Phrase } from '../text/phrase.ts';
import type { ContentBlock, Role } from '../model/message.ts';
import { readContent } from './content-parts.ts';
import { isObject, stringOf, type JsonObject } from './json-value.ts';
import { addBlocks } from './role-content.ts';
import { parseMoment, type TranscriptSink } from './transcript-message.ts';

/** True for a message's record of a Claude Code session. */
export function isClaudeCode(record: unknown): record is JsonObject & { readonly message: JsonObject } {
  if (!isObject(record) || !isObject(record['message'])) return false;
  return record['type'] === 'user' || record['type'] === 'assistant';
}

/**
 * A Claude Code session, record by record, in the file's order. The blocks of one reply are written as records of
 * their own with the same message id, and become one message again. What the tool wrote for the model alone (notes,
 * summaries of its own compaction), sub-agents' conversations and bookkeeping are left out and counted.
 */
export class ClaudeCodeImporter {
  readonly #sink: TranscriptSink;
  #reply: { readonly id: string; readonly at: number | undefined; readonly blocks: ContentBlock[] } | undefined;

  constructor(sink: TranscriptSink) {
    this.#sink = sink;
  }

  record(record: unknown): void {
    if (!isClaudeCode(record)) {
      this.#sink.skip(
        isObject(record) ? phrase('record of type “{0}”', typeOf(record)) : phrase('line that is no record'),
      );
      return;
    }
    const reason = whySkipped(record);
    if (reason !== undefined) {
      this.#sink.skip(reason);
      return;
    }
    const { message } = record;
    const at = parseMoment(record['timestamp']);
    const blocks = readContent(message['content'], this.#sink);
    const id = stringOf(message['id']);
    if (record['type'] === 'assistant' && id !== undefined) {
      if (this.#reply?.id !== id) {
        this.#flush();
        this.#reply = { id, at, blocks: [] };
      }
      for (const block of blocks) this.#reply.blocks.push(block);
      return;
    }
    this.#flush();
    const role: Role = record['type'] === 'assistant' ? 'assistant' : 'user';
    if (blocks.length > 0) addBlocks(role, blocks, at, this.#sink);
  }

  end(): void {
    this.#flush();
  }

  #flush(): void {
    const reply = this.#reply;
    this.#reply = undefined;
    // A reply of reasoning alone was counted when it was read.
    if (reply && reply.blocks.length > 0) addBlocks('assistant', reply.blocks, reply.at, this.#sink);
  }
}

function whySkipped(record: JsonObject): Phrase | undefined {
  if (record['isSidechain'] === true) return phrase('message of a sub-agent');
  if (record['isCompactSummary'] === true) return phrase('summary made by the tool');
  if (record['isMeta'] === true) return phrase('note of the tool to the model');
  return undefined;
}

function typeOf(record: JsonObject): string {
  return stringOf(record['type']) ?? 'unknown';
}
