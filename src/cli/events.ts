import { detectEvents } from '../core/events/detect.ts';
import { Ledger } from '../core/events/ledger.ts';
import { messageId } from '../core/model/ids.ts';
import type { KeyEvent } from '../core/model/key-event.ts';
import { isLocalReply } from '../core/model/message.ts';
import type { TranscriptMessage } from '../core/transcript/transcript-message.ts';
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
  async run({ file, output }) {
    const events = await eventsOf(transcriptMessages(file, output));
    const lines = events.map(eventLine).join('\n');
    return { json: { events }, text: events.length === 0 ? 'No key events.\n' : `${lines}\n` };
  },
};

/** A key event in JSON output. `message` is an index; offsets are in UTF-16 units of its text. */
export function eventOutput(event: Omit<KeyEvent, 'message'> & { readonly message: number | string }) {
  const { kind, quote, message, start, end, score, importance, status, pinned } = event;
  return { kind, quote, message: Number(message), start, end, score, importance, status, pinned };
}

async function eventsOf(messages: AsyncIterable<TranscriptMessage>) {
  const ledger = new Ledger();
  let before: TranscriptMessage | undefined;
  let index = 0;
  for await (const message of messages) {
    const found = isLocalReply(message) ? [] : detectEvents(message, before ? { before } : {});
    if (found.length > 0) {
      ledger.add(messageId(String(index)), found, before ? messageId(String(index - 1)) : undefined);
    }
    before = message;
    index++;
  }
  return ledger.entries().map(eventOutput);
}

function eventLine({ kind, quote, message, status }: ReturnType<typeof eventOutput>): string {
  const mark = status === 'active' ? '' : ` (${status})`;
  return `${String(message).padStart(5)}  ${kind}${mark}: ${quote.replace(/\s+/g, ' ')}`;
}
