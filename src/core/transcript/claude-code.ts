import { phrase, type Phrase } from '../text/phrase.ts';
import { messageText, type ContentBlock, type Role, type Usage } from '../model/message.ts';
import { readContent } from './content-parts.ts';
import { isObject, stringOf, type JsonObject } from './json-value.ts';
import { addBlocks } from './role-content.ts';
import { addCompaction, parseMoment, usageOf, type TranscriptSink } from './transcript-message.ts';

/** True for a message's record of a Claude Code session. */
export function isClaudeCode(record: unknown): record is JsonObject & { readonly message: JsonObject } {
  if (!isObject(record) || !isObject(record['message']) || !('content' in record['message'])) return false;
  return record['type'] === 'user' || record['type'] === 'assistant';
}

/**
 * A Claude Code session, record by record, in the file's order. The blocks of one reply are written as records of
 * their own with the same message id, and become one message again. What the tool wrote for the model alone (notes,
 * summaries of its own compaction), subagents' conversations and bookkeeping are left out and counted.
 */
export class ClaudeCodeImporter {
  readonly #sink: TranscriptSink;
  readonly #isSubagent: boolean;
  #reply:
    | {
        readonly id: string;
        readonly at: number | undefined;
        readonly model: string | undefined;
        readonly blocks: ContentBlock[];
        usage?: Usage | undefined;
      }
    | undefined;

  /** A subagent has a file of its own, whose every record says so. */
  constructor(sink: TranscriptSink, isSubagent = false) {
    this.#sink = sink;
    this.#isSubagent = isSubagent;
  }

  get isSettled(): boolean {
    return this.#reply === undefined;
  }

  record(record: unknown): void {
    this.#tell(record);
    if (!isClaudeCode(record)) {
      this.#sink.skip(isObject(record) ? phrase('record of type “{0}”', typeOf(record)) : phrase('invalid record'));
      return;
    }
    const { message } = record;
    const at = parseMoment(record['timestamp']);
    const reason = this.#whySkipped(record);
    if (reason !== undefined) {
      this.#sink.skip(reason);
      return;
    }
    if (record['isCompactSummary'] === true) {
      this.#flush();
      const summary = readContent(message['content'], this.#sink);
      addCompaction(this.#sink, { summary: messageText({ content: summary }), at });
      return;
    }
    const blocks = readContent(message['content'], this.#sink);
    const id = stringOf(message['id']);
    if (record['type'] === 'assistant' && id !== undefined) {
      if (this.#reply?.id !== id) {
        this.#flush();
        this.#reply = { id, at, model: modelOf(message), blocks: [] };
      }
      // Every record of a reply repeats its usage; the last one is complete.
      this.#reply.usage = usage(message['usage']) ?? this.#reply.usage;
      for (const block of blocks) this.#reply.blocks.push(block);
      return;
    }
    this.#flush();
    const role: Role = record['type'] === 'assistant' ? 'assistant' : 'user';
    const facts = { at, model: modelOf(message), usage: usage(message['usage']) };
    if (blocks.length > 0) addBlocks(role, blocks, facts, this.#sink);
  }

  end(): void {
    this.#flush();
  }

  #flush(): void {
    const reply = this.#reply;
    this.#reply = undefined;
    // A reply of reasoning alone was counted when it was read.
    if (reply && reply.blocks.length > 0) addBlocks('assistant', reply.blocks, reply, this.#sink);
  }

  #tell(record: unknown): void {
    if (!isObject(record) || !this.#sink.about) return;
    const [id, workspace] = [stringOf(record['sessionId']), stringOf(record['cwd'])];
    const title =
      stringOf(record['customTitle']) ??
      stringOf(record['aiTitle']) ??
      (record['type'] === 'summary' ? stringOf(record['summary']) : undefined);
    const agent = this.#isSubagent ? stringOf(record['agentId']) : undefined;
    const ids = agent === undefined ? { id } : { id: agent, ...(id && { parent: id }) };
    this.#sink.about({ ...ids, workspace, title });
  }

  #whySkipped(record: JsonObject): Phrase | undefined {
    if (record['isSidechain'] === true && !this.#isSubagent) return phrase('subagent message');
    if (record['isMeta'] === true) return phrase('instruction added by the tool');
    return undefined;
  }
}

/** What the tool says in the model's place, about an error for instance, is of no model. */
function modelOf(message: JsonObject): string | undefined {
  const model = stringOf(message['model']);
  return model === '<synthetic>' ? undefined : model;
}

/** Anthropic counts what was read from and written to its cache apart from the input. */
function usage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const [cached, cacheWrite] = [value['cache_read_input_tokens'], value['cache_creation_input_tokens']];
  const input = [value['input_tokens'], cached, cacheWrite].reduce(
    (sum: number, one) => sum + (typeof one === 'number' ? one : 0),
    0,
  );
  return usageOf({ input, output: value['output_tokens'], cached, cacheWrite });
}

function typeOf(record: JsonObject): string {
  return stringOf(record['type']) ?? 'unknown';
}
