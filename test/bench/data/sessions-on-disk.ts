import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../../../src/app/ports.ts';
import { compressionWith, type SessionEvent } from '../../../src/core/journal/schema.ts';
import { compressionId, messageId, nodeId } from '../../../src/core/model/ids.ts';
import type { Message } from '../../../src/core/model/message.ts';
import { nodeWith, type SummaryNode } from '../../../src/core/model/summary.ts';
import { NEVER_YIELDS } from '../../../src/core/pace/yielder.ts';
import { storedCounts } from '../../../src/core/tokens/message-counts.ts';
import { contentOf, type TranscriptMessage } from '../../../src/core/transcript/transcript-message.ts';
import { countFiles } from '../../../src/storage/count-files.ts';
import { FileSessionStore } from '../../../src/storage/session-store.ts';
import { joinSnapshots } from '../../../src/storage/snapshot.ts';
import { SESSION_LIST_FILE } from './opening.ts';

export const clock: Clock = { now: () => Date.now(), id: () => randomUUID(), yielder: NEVER_YIELDS };

/** Number of recent messages, which aren't summarized. */
const RECENT_MESSAGES = 40;
/** Number of summaries of earlier messages. It doesn't depend on the length, because old summaries are merged. */
const FRONTIER = 12;

/** Creates sessions of the given lengths, compressed, counted, and listed like after a day of work. */
export async function fillFolder(
  folder: string,
  workspace: string,
  lengths: readonly number[],
  transcript: readonly TranscriptMessage[],
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const store = new FileSessionStore({ folder, clock, writer: 'bench' });
  const counts = countFiles(folder, () => undefined);
  for (const [n, length] of lengths.entries()) {
    const journal = await store.create(`Session ${n}: what was done that day`, workspace);
    const messages = asMessages(transcript.slice(0, length));
    await journal.append(...messages.map((message) => ({ type: 'message_added', message }) as const));
    await journal.append(compressedBefore(messages, Math.max(0, length - RECENT_MESSAGES)));
    const ids = messages.map(({ id }) => id);
    const tokens = messages.map((_, at) => Math.ceil(transcript[at]!.text.length / 4) + 4);
    await counts.save(
      journal.id,
      ids,
      storedCounts(
        'o200k_base',
        tokens.map((body) => ({ body, attachments: 0 })),
      ),
    );
    await journal.close();
  }
  await store.close();
  const index = await new FileSessionStore({ folder, clock, writer: 'bench' }).list();
  await writeFile(
    path.join(folder, SESSION_LIST_FILE),
    JSON.stringify(joinSnapshots({ workspace, index, live: [] }, undefined)),
  );
}

/** The messages in their original order. */
export function asMessages(transcript: readonly TranscriptMessage[]): Message[] {
  let parent: Message['parent'] = null;
  return transcript.map((one): Message => {
    const message = { id: messageId(randomUUID()), parent, role: one.role, content: contentOf(one), at: clock.now() };
    parent = message.id;
    return message;
  });
}

function compressedBefore(messages: readonly Message[], end: number): SessionEvent {
  const nodes: SummaryNode[] = [];
  const each = Math.floor(end / FRONTIER);
  for (let from = 0; from + each <= end && each > 0; from += each) {
    const node = nodeWith({
      id: nodeId(randomUUID()),
      first: messages[from]!.id,
      last: messages[from + each - 1]!.id,
      messages: each,
      title: 'What was decided here',
      brief: 'A decision on a setting, and its reason. '.repeat(4),
      detailed: 'A decision on a setting, its reason, and the file in which it stands. '.repeat(12),
      tokens: { source: 4_000, brief: 40, detailed: 180 },
      rung: 'model',
      model: 'bench',
      at: clock.now(),
    });
    nodes.push(node);
  }
  return {
    type: 'compressed',
    compression: compressionWith({
      id: compressionId(randomUUID()),
      nodes,
      messages: { before: messages.length, after: messages.length - end },
      tokens: { before: 100_000, after: 10_000 },
    }),
  };
}
