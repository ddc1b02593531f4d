import type { TranscriptMessage } from '../core/transcript/transcript-message.ts';
import { inEnglish } from '../core/text/phrase.ts';
import { TranscriptReader } from '../core/transcript/transcript-reader.ts';
import { severalConversationsLine, skippedLine, streamTranscript } from './transcript-file.ts';
import type { Command } from './command.ts';

/** Lines are written in chunks of about this many UTF-16 units. */
const CHUNK_UNITS = 1 << 16;

export const command: Command = {
  help: `Usage: threadkeeper import FILE [--json]

Prints a transcript as JSONL, one message per line: {"role","content","at"}, with "at" in
milliseconds since the epoch if known. Skipped content is listed on standard error.

Formats are detected from the content: Threadkeeper's JSONL export (only the branch of the
last message), JSON or JSONL of {role, content} (OpenAI or Anthropic format), VS Code's
chats and “Chat: Export Chat…” JSON, aider's .aider.chat.history.md, SpecStory Markdown,
sessions of Claude Code, Codex, Copilot, Gemini CLI, Qwen Code, and Continue, tasks of
Cline, and ChatGPT's conversations.json. Use - as FILE to read standard input.

  --json   one object: {"messages":[…],"format","skipped":[{"reason","count"}]}
`,
  options: {},
  async run({ file, json, output }) {
    const reader = new TranscriptReader();
    let chunk = json ? '{"messages":[' : '';
    let isFirst = true;
    let images = 0;
    for await (const message of streamTranscript(file, reader)) {
      images += message.blocks?.filter(({ type }) => type === 'image').length ?? 0;
      chunk += json ? `${isFirst ? '' : ','}${messageJson(message)}` : `${messageJson(message)}\n`;
      isFirst = false;
      if (chunk.length < CHUNK_UNITS) continue;
      await output.write(chunk);
      chunk = '';
    }
    const { format, skipped, conversations } = reader.totals();
    const skips = skipped.map(({ reason, count }) => ({ reason: inEnglish(reason), count }));
    // The output is plain text, so images are skipped, too.
    if (images > 0) skips.push({ reason: 'embedded image', count: images });
    await output.write(json ? `${chunk}],${JSON.stringify({ format, skipped: skips }).slice(1)}\n` : chunk);
    if (conversations.length > 1) await output.note(severalConversationsLine(conversations.length));
    if (skips.length > 0 && !json) await output.note(skippedLine(skips.map(({ reason, count }) => [reason, count])));
    return undefined;
  },
};

const messageJson = ({ role, text, at }: TranscriptMessage): string => JSON.stringify({ role, content: text, at });
