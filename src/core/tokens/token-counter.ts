import type { Attachment, ContentBlock, Message } from '../model/message.ts';
import { ALONE, type Breather } from '../pace/breather.ts';
import { BpeCounter } from './bpe.ts';
import { imageTokens } from './image-size.ts';

export const ENCODINGS = ['o200k_base', 'cl100k_base'] as const;
export type EncodingName = (typeof ENCODINGS)[number];

/** What is counted of a message. Attachments are counted apart, since the gauge shows them apart. */
export type CountedMessage = Pick<Message, 'role' | 'content'>;

/** The one way tokens are counted: gauge, triggers and assembly share it, so that they cannot disagree. */
export interface TokenCounter {
  readonly encoding: string;
  /** Tokens of a bare text. */
  text(text: string): number;
  /** As `text`, resting as it goes: for texts of any length on a thread that others wait for. */
  textResting(text: string, breather: Breather): Promise<number>;
  /** Tokens of a message with its framing; a whole request takes `REPLY_PRIMING_TOKENS` more. */
  message(message: CountedMessage): number;
  /** Tokens of an attachment with the line that names it. */
  attachment(attachment: Attachment): number;
  /** As `message` and `attachment`, resting as it goes. */
  whole(message: CountedMessage & Pick<Message, 'attachments'>, breather: Breather): Promise<MessageTokens>;
}

/** Tokens of a message with its framing, and of its attachments. */
export interface MessageTokens {
  readonly body: number;
  readonly attachments: number;
}

/**
 * Around each message: three for its delimiters and one for the role.
 * Source: OpenAI cookbook, "How to count tokens with tiktoken" (tokens_per_message = 3 plus the role's own).
 */
export const MESSAGE_FRAMING_TOKENS = 4;

/** Every reply is primed with `<|start|>assistant<|message|>`. Source: the same cookbook. */
export const REPLY_PRIMING_TOKENS = 3;

/** Delimiters of a tool call or result inside a message. No provider documents it; calibration corrects the rest. */
export const TOOL_FRAMING_TOKENS = 8;

/** The fence and the label around an attachment's text, its name apart. */
export const ATTACHMENT_FRAMING_TOKENS = 24;

/** What is counted of a block: tokens that it takes whatever it says, and its texts. */
function countedIn(block: ContentBlock): { readonly fixed: number; readonly texts: readonly string[] } {
  switch (block.type) {
    case 'text':
      return { fixed: 0, texts: [block.text] };
    case 'image':
      return { fixed: imageTokens(block.base64), texts: [] };
    case 'tool_call':
      return { fixed: TOOL_FRAMING_TOKENS, texts: [block.name, block.json] };
    case 'tool_result':
      return { fixed: TOOL_FRAMING_TOKENS, texts: [block.text] };
  }
}

/** Makes the counter of an encoding from any way to count a text, for counting by a provider's own endpoint or in tests. */
export function tokenCounter(
  encoding: string,
  text: (text: string) => number,
  textResting: (text: string, breather: Breather) => Promise<number> = (whole) => Promise.resolve(text(whole)),
): TokenCounter {
  const atOnce = (texts: readonly string[]): number => texts.reduce((sum, one) => sum + text(one), 0);
  const message: TokenCounter['message'] = ({ content }) =>
    content.reduce((sum, block) => {
      const { fixed, texts } = countedIn(block);
      return sum + fixed + atOnce(texts);
    }, MESSAGE_FRAMING_TOKENS);
  const attachment: TokenCounter['attachment'] = ({ name, text: body }) =>
    ATTACHMENT_FRAMING_TOKENS + atOnce([name, body]);
  return {
    encoding,
    text,
    textResting,
    message,
    attachment,
    async whole({ content, attachments = [] }, breather) {
      const resting = async (texts: readonly string[]): Promise<number> => {
        let sum = 0;
        for (const one of texts) sum += await textResting(one, breather);
        return sum;
      };
      let body = MESSAGE_FRAMING_TOKENS;
      for (const { fixed, texts } of content.map(countedIn)) body += fixed + (await resting(texts));
      let attached = 0;
      for (const { name, text: said } of attachments)
        attached += ATTACHMENT_FRAMING_TOKENS + (await resting([name, said]));
      return { body, attachments: attached };
    },
  };
}

const loaded = new Map<EncodingName, Promise<TokenCounter>>();

/**
 * The counter of an encoding, its vocabulary read on the first call (about 0.2 s of a thread that `breather` keeps open,
 * and 28 MB) and kept. A failed load is forgotten, so that the next call tries again.
 */
export function loadEncoding(name: EncodingName, breather = ALONE): Promise<TokenCounter> {
  const known = loaded.get(name);
  if (known) return known;
  const loading = readEncoding(name, breather).catch((error: unknown) => {
    loaded.delete(name);
    throw error;
  });
  loaded.set(name, loading);
  return loading;
}

async function readEncoding(name: EncodingName, breather: Breather): Promise<TokenCounter> {
  // Two literal paths: the bundler makes each its own chunk, read when it is asked for.
  const ranks = await (name === 'o200k_base'
    ? import('js-tiktoken/ranks/o200k_base')
    : import('js-tiktoken/ranks/cl100k_base'));
  const counter = await BpeCounter.load(ranks.default, breather);
  return tokenCounter(
    name,
    (text) => counter.count(text),
    (text, between) => counter.countResting(text, between),
  );
}
