import { compressionWith, type CompressionRecord, type SessionEvent } from '../core/journal/schema.ts';
import { compressionId, type MessageId } from '../core/model/ids.ts';
import type { Message } from '../core/model/message.ts';
import type { SummaryNode } from '../core/model/summary.ts';
import type { SessionSnapshot } from './snapshot-schema.ts';

/**
 * The events that give a new journal what a snapshot still has. Messages whose text is lost but which a summary
 * stands for are represented by the first and last of each run, so that the summaries keep their places in the branch,
 * and by those that key events quote, so that these are sent again.
 */
export function snapshotEvents(snapshot: SessionSnapshot): SessionEvent[] {
  const { id, title, workspace, provider, model, policy, task, counters } = snapshot;
  const events: SessionEvent[] = [{ type: 'session_created', id, title, workspace }];
  if (provider !== undefined && model !== undefined) events.push({ type: 'model_selected', provider, model });
  if (policy !== undefined) events.push({ type: 'policy_selected', policy });
  if (snapshot.archived) events.push({ type: 'session_archived', archived: true });
  if (snapshot.pinned) events.push({ type: 'session_pinned', pinned: true });
  if (snapshot.deleted) events.push({ type: 'session_deleted', deleted: true });

  let parent: MessageId | null = null;
  const add = (message: Message): void => {
    events.push({ type: 'message_added', message: { ...message, parent } });
    parent = message.id;
  };
  for (const part of snapshot.frontier) for (const place of placesOf(part)) add(placeholder(part.node, place));
  for (const message of snapshot.bodies) add(message);

  if (snapshot.frontier.length > 0 || snapshot.ledger.length > 0) {
    events.push({ type: 'compressed', compression: restored(snapshot) });
  }
  if (task) events.push({ type: 'task_set', task });
  const { chatTokens, chatCostUsd, compressionTokens, compressionCostUsd } = counters;
  const spent = (purpose: 'chat' | 'compression', tokens: number, costUsd: number): void => {
    if (tokens > 0 || costUsd > 0) {
      events.push({
        type: 'usage_recorded',
        purpose,
        model: model ?? '',
        usage: { input: tokens, output: 0 },
        costUsd,
      });
    }
  };
  spent('chat', chatTokens, chatCostUsd);
  spent('compression', compressionTokens, compressionCostUsd);
  return events;
}

type Part = SessionSnapshot['frontier'][number];
type Place = NonNullable<Part['places']>[number];

function placesOf({ node: { first, last }, places }: Part): readonly Place[] {
  const ends: readonly Place[] = [first, ...(last === first ? [] : [last])].map((id) => [id, 'user']);
  return places ?? ends;
}

function placeholder(node: SummaryNode, [id, role]: Place): Message {
  const text = `[The text of this message was lost with the session's file; a summary of ${node.messages} messages stands for it.]`;
  return { id, parent: null, role, content: [{ type: 'text', text }], at: node.at };
}

function restored(snapshot: SessionSnapshot): CompressionRecord {
  const messages = snapshot.counters.messagesEver ?? 0;
  return compressionWith({
    id: compressionId('restored'),
    policy: snapshot.policy ?? '',
    strategy: 'restored',
    // A summary stands only where it finds as many messages as it counts: here those that are placed again.
    nodes: snapshot.frontier.map((part) => {
      const places = placesOf(part);
      return { ...part.node, first: places[0]?.[0] ?? part.node.first, messages: places.length };
    }),
    levels: snapshot.frontier.flatMap(({ node, level }) => (level ? [{ node: node.id, level }] : [])),
    events: snapshot.ledger,
    messages: { before: messages, after: messages },
  });
}
