import { encodingFor, modelInfo } from '../core/tokens/model-info.ts';
import { loadEncoding } from '../core/tokens/token-counter.ts';
import { contentOf } from '../core/transcript/transcript-message.ts';
import { transcriptMessages } from './transcript-file.ts';
import { textOption, type Command } from './command.ts';

export const command: Command = {
  help: `Usage: threadkeeper count FILE [--model M] [--json]

Counts the messages and tokens in a transcript, including message framing.

  --model M   model to count for. OpenAI models use their own tokenizers. Other models use
              o200k_base, which is approximate for them and is also the default
  --json      {"messages","tokens","encoding"}; "tokens" is the count in "encoding"
`,
  options: { model: { type: 'string' } },
  async run({ file, options, output }) {
    const model = textOption(options, 'model');
    const encoding = model === undefined ? 'o200k_base' : encodingFor(model);
    const counter = await loadEncoding(encoding);
    let messages = 0;
    let tokens = 0;
    for await (const message of transcriptMessages(file, output)) {
      messages++;
      tokens += counter.message({ role: message.role, content: contentOf(message) });
    }
    const number = new Intl.NumberFormat('en');
    const total = `messages: ${number.format(messages)}, tokens: ${number.format(tokens)} (${encoding})\n`;
    const info = model === undefined ? undefined : modelInfo(model);
    const estimate =
      info && info.countFactor !== 1
        ? `approximately ${number.format(Math.round(tokens * info.countFactor))} tokens with ${info.id}\n`
        : '';
    return { json: { messages, tokens, encoding }, text: total + estimate };
  },
};
