import type { Attachment, ContentBlock, Message } from '../model/message.ts';
import { NEVER_YIELDS, type Yielder } from '../pace/yielder.ts';
import { renderAttachment } from '../text/render-attachment.ts';
import { BpeCounter } from './bpe.ts';
import { imageTokens } from './image-size.ts';

export type EncodingName = 'o200k_base' | 'cl100k_base';

/** The counted part of a message. Attachments are counted separately, because the gauge shows them separately. */
export type CountedMessage = Pick<Message, 'role' | 'content'>;

/** Counts tokens. Gauge, triggers, and assembly share one counter, so that they always agree. */
export interface TokenCounter {
  readonly encoding: string;
  text(text: string): number;
  /** Like `text`, but yields when due, for long texts on a shared thread. */
  textYielding(text: string, yielder: Yielder): Promise<number>;
  /** Tokens of a message with its framing. A whole request takes another `REPLY_PRIMING_TOKENS`. */
  message(message: CountedMessage): number;
  attachment(attachment: Attachment): number;
  /** Like `message` and `attachment`, but yields when due. */
  messageYielding(message: CountedMessage & Pick<Message, 'attachments'>, yielder: Yielder): Promise<MessageTokens>;
}

export interface MessageTokens {
  readonly body: number;
  readonly attachments: number;
}

/**
 * Per message: three tokens for delimiters and one for the role. Source: OpenAI cookbook, "How to count tokens with
 * tiktoken" (tokens_per_message = 3 plus the role's own).
 */
export const MESSAGE_FRAMING_TOKENS = 4;

/** The tokens of `<|start|>assistant<|message|>`, which precede every response. Source: the same cookbook. */
export const REPLY_PRIMING_TOKENS = 3;

/** An estimate for the delimiters of a tool call or result, which no provider documents. Calibration corrects it. */
export const TOOL_FRAMING_TOKENS = 8;

function textsOf(block: ContentBlock): readonly string[] {
  if (block.type === 'image') return [];
  return block.type === 'tool_call' ? [block.name, block.json] : [block.text];
}

/** The tokens of a block besides its texts. */
function fixedTokens(block: ContentBlock): number {
  if (block.type === 'image') return imageTokens(block.base64);
  return block.type === 'text' ? 0 : TOOL_FRAMING_TOKENS;
}

/** Creates a token counter from functions that count a text. */
export function tokenCounter(
  encoding: string,
  text: (text: string) => number,
  textYielding: (text: string, yielder: Yielder) => Promise<number> = (whole) => Promise.resolve(text(whole)),
): TokenCounter {
  const framing = (content: Message['content']): number =>
    content.reduce((sum, block) => sum + fixedTokens(block), MESSAGE_FRAMING_TOKENS);
  return {
    encoding,
    text,
    textYielding,
    message: ({ content }) => content.flatMap(textsOf).reduce((sum, one) => sum + text(one), framing(content)),
    attachment: (each) => text(renderAttachment(each)),
    async messageYielding({ content, attachments = [] }, yielder) {
      let body = framing(content);
      for (const one of content.flatMap(textsOf)) body += await textYielding(one, yielder);
      let attached = 0;
      for (const each of attachments) attached += await textYielding(renderAttachment(each), yielder);
      return { body, attachments: attached };
    },
  };
}

const loaded = new Map<EncodingName, Promise<TokenCounter>>();

/**
 * The counter of an encoding. Its vocabulary is read on the first call (about 0.2 s, yielding to `yielder`, and 28 MB
 * of memory) and kept. A failed load is retried by the next call.
 */
export function loadEncoding(name: EncodingName, yielder = NEVER_YIELDS): Promise<TokenCounter> {
  const known = loaded.get(name);
  if (known) return known;
  const loading = readEncoding(name, yielder).catch((error: unknown) => {
    loaded.delete(name);
    throw error;
  });
  loaded.set(name, loading);
  return loading;
}

async function readEncoding(name: EncodingName, yielder: Yielder): Promise<TokenCounter> {
  // Two literal paths, so that the bundler puts each vocabulary in its own chunk, which is loaded on demand.
  const ranks = await (name === 'o200k_base'
    ? import('js-tiktoken/ranks/o200k_base')
    : import('js-tiktoken/ranks/cl100k_base'));
  const counter = await BpeCounter.load(ranks.default, yielder);
  return tokenCounter(
    name,
    (text) => counter.count(text),
    (text, callYielder) => counter.countYielding(text, callYielder),
  );
}
