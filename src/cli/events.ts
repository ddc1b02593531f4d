import { detectEvents } from '../core/events/detect.ts';
import { Ledger } from '../core/events/ledger.ts';
import { messageId } from '../core/model/ids.ts';
import type { TranscriptMessage } from '../core/transcript/transcript-message.ts';
import { eventOutput, type EventOutput } from './event-output.ts';
import { transcriptMessages } from './transcript-file.ts';
import type { Command } from './command.ts';

export const command: Command = {
  help: `Usage: threadkeeper events FILE [--json]

Lists the transcript's key events: decisions, errors, preferences, constraints,
configuration, facts, to-dos, and outcomes. Each is an exact quote from its message, with
a status: active, superseded (by a later one), or merged (into a near-duplicate).

  --json   {"events":[{"kind","quote","message","start","end","score","importance",
           "status","pinned"}]}
           "message" is an index, "start" and "end" are UTF-16 offsets into its text
`,
  options: {},
  async run({ file, json, output }) {
    const events = await eventsOf(transcriptMessages(file, output));
    if (json) await output.json({ events });
    else await output.write(events.length === 0 ? 'No key events.\n' : `${events.map(eventLine).join('\n')}\n`);
    return 0;
  },
};

async function eventsOf(messages: AsyncIterable<TranscriptMessage>): Promise<EventOutput[]> {
  const ledger = new Ledger();
  let before: TranscriptMessage | undefined;
  let index = 0;
  for await (const message of messages) {
    const found = detectEvents(message, before ? { before } : {});
    if (found.length > 0) {
      ledger.add(messageId(String(index)), found, before ? messageId(String(index - 1)) : undefined);
    }
    before = message;
    index++;
  }
  return ledger.entries().map(eventOutput);
}

function eventLine({ kind, quote, message, status }: EventOutput): string {
  const mark = status === 'active' ? '' : ` (${status})`;
  return `${String(message).padStart(5)}  ${kind}${mark}: ${quote.replace(/\s+/g, ' ')}`;
}
