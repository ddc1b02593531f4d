import assert from 'node:assert/strict';
import type { Conversation } from '../../../src/app/conversation.ts';
import { correctEvent } from '../../../src/app/correct-event.ts';
import {
  compressionsSince,
  editSummary,
  expandNode,
  setLevel,
  undoOrRedoChange,
  undoCompressions,
} from '../../../src/app/summary-changes.ts';
import { messageId, type NodeId } from '../../../src/core/model/ids.ts';
import type { KeyEvent } from '../../../src/core/model/key-event.ts';
import { messageText } from '../../../src/core/model/message.ts';
import { proseSummary, type SummaryNode } from '../../../src/core/model/summary.ts';
import { resolvePolicy } from '../../../src/core/policy/policy.ts';
import { withRetries } from '../../../src/providers/retry.ts';
import { syntheticSession } from '../../bench/data/synthetic.ts';
import { WireServer } from '../../support/wire-server.ts';
import { PROTOCOLS } from '../providers/protocols.ts';
import { Harness } from './harness.ts';

const BY_HAND = 'By hand: the lantern stands “beside” the kiln,\tand page 7 is blank. 日本 😀';
const NEW_SUMMARY = 'The developers went through the parts of the booking service one after the other.';
const INSTRUCTIONS = 'Leave out the numbers.';

/** A way to change the request, using the same functions as the commands. */
interface Change {
  readonly name: string;
  readonly make: (conversation: Conversation, node: SummaryNode, harness: Harness) => Promise<unknown>;
  /** The part of the next request that contains the summary or its messages. */
  readonly holds: (conversation: Conversation, node: NodeId, before: string) => string;
  /** Instructions that must occur in the summarizer's prompt. */
  readonly instructions?: string;
  /** Only applies to the next turn, and is then undone automatically. */
  readonly once?: true;
  /** Restores all messages, which may not fit. */
  readonly all?: true;
  /** The text returned by `holds` isn't sent anymore. */
  readonly gone?: true;
}

const CHANGES: readonly Change[] = [
  {
    name: 'an edited summary',
    make: ({ journal, counter, state }, { id }) =>
      editSummary(journal, counter, id, state.levels.get(id) ?? 'detailed', BY_HAND),
    holds: () => BY_HAND,
  },
  {
    name: 'a summary regenerated with instructions',
    make: (one, { id }, harness) => harness.resummarize(one, { node: id, instructions: INSTRUCTIONS }),
    holds: sentText,
    instructions: INSTRUCTIONS,
  },
  {
    name: 'a summary regenerated at full level',
    make: (one, { id }, harness) => harness.resummarize(one, { node: id, finer: true }),
    holds: sentText,
  },
  {
    name: 'an undone summary',
    make: (one, { id }) => one.undoNodes([id], true),
    holds: unsentMark,
  },
  {
    name: 'undone compressions',
    make: ({ journal, state }) => undoCompressions(journal, compressionsSince(state), true),
    holds: unsentMark,
    all: true,
  },
  {
    name: 'a permanently expanded summary',
    make: ({ journal }, { id }) => expandNode(journal, id, 'always'),
    holds: unsentMark,
  },
  {
    name: 'a summary expanded for the next turn',
    make: ({ journal }, { id }) => expandNode(journal, id, 'turn'),
    holds: unsentMark,
    once: true,
  },
  {
    name: 'a summary switched to another level',
    make: ({ journal, state }, { id }) =>
      setLevel(journal, id, state.levels.get(id) === 'brief' ? 'detailed' : 'brief'),
    holds: sentText,
  },
  {
    name: 'a corrected key event',
    make: (one) => {
      const { id, message } = shortest(one);
      const said = one.state.messages.get(message);
      return correctEvent(one.journal, id, { start: 0, end: said ? messageText(said).length : 0 });
    },
    holds: ({ state }) => [...state.events.values()].find(({ found }) => found)?.quote ?? '',
  },
  {
    name: 'a removed key event',
    make: (one) => one.journal.append({ type: 'event_removed', id: shortest(one).id, removed: true }),
    holds: ({ state }) => [...state.events.values()].find(({ id }) => state.isRemoved(id))?.quote ?? '',
    gone: true,
  },
];

const SIZES = [
  { messages: 120, isLong: false },
  { messages: 10_000, isLong: true },
];

for (const { messages, isLong } of SIZES)
  describe(`context change in a session of ${messages} messages`, function () {
    this.timeout(isLong ? 600_000 : 60_000);
    before(function () {
      if (isLong && process.env.THREADKEEPER_LONG === undefined) this.skip();
    });

    for (const protocol of PROTOCOLS) {
      describe(`with ${protocol.name}`, () => {
        let harness: Harness;
        let server: WireServer;
        let conversation: Conversation;
        before(async () => {
          server = await WireServer.start();
          server.reset().answer('Fine.');
          harness = await Harness.open();
          // Nothing else changes the request in the meantime.
          const quiet = resolvePolicy('balanced', { triggers: { share: null, messages: null, ageMs: null } });
          harness.set({ policy: quiet });
          harness.chat = withRetries(protocol.make(server.url));
          conversation = await compressedSession(harness, messages);
        });
        after(async () => {
          await harness.close();
          await server.stop();
        });

        /**
         * Sends a message and checks that the request equals the preview byte for byte. Returns the parts of the system
         * prompt.
         */
        const send = async (): Promise<{ readonly raw: string; readonly system: readonly string[] }> => {
          const { request, compressesFirst } = await conversation.previewSend({ text: 'Go on.' });
          assert.equal(compressesFirst, undefined);
          const shown = harness.chat?.wireBody?.(request);
          const count = server.requests.length;
          await conversation.send('Go on.');
          assert.equal(server.requests.length, count + 1);
          const { raw } = server.requests[count]!;
          assert.equal(raw, shown);
          return { raw, system: request.system };
        };

        for (const change of CHANGES.filter(({ all }) => !all || !isLong))
          it(`takes effect in the next request, survives a reload and can be undone: ${change.name}`, async () => {
            const before = await send();
            const leaf = conversation.state.frontier.find(({ node }) => node.children.length === 0)?.node;
            assert.ok(leaf);
            await withSummarizer(harness, server, () => change.make(conversation, leaf, harness));
            if (change.instructions !== undefined)
              assert.ok(server.requests.some(({ raw }) => raw.includes(inJson(change.instructions ?? ''))));
            const held = inJson(change.holds(conversation, leaf.id, before.raw));
            assert.notEqual(held, '');
            // A summary may contain a key event's words as well.
            const isChanged = (request: { readonly raw: string }): boolean =>
              change.gone ? times(held, request) < times(held, before) : times(held, request) > times(held, before);
            const changed = await send();
            assert.ok(isChanged(changed), 'the change takes effect');

            conversation = await harness.restart(conversation);
            assert.equal(isChanged(await send()), !change.once, 'after a reload');
            if (change.once) return assert.deepEqual((await send()).system, before.system);
            await undoOrRedoChange(conversation.journal, true);
            assert.deepEqual((await send()).system, before.system, 'undone');
            await undoOrRedoChange(conversation.journal, false);
            assert.deepEqual((await send()).system, changed.system, 'redone');
            await undoOrRedoChange(conversation.journal, true);
            conversation = await harness.restart(conversation);
            assert.deepEqual((await send()).system, before.system, 'undone and reloaded');
          });
      });
    }
  });

/**
 * Runs `work` with a summarizer that sends its requests to the server, so that tests can look for the user's
 * instructions in them.
 */
async function withSummarizer(harness: Harness, server: WireServer, work: () => Promise<unknown>): Promise<void> {
  const { chat } = harness;
  assert.ok(chat);
  server.reset().answer(JSON.stringify({ ...proseSummary(NEW_SUMMARY), topics: ['booking service'] }));
  harness.summarizer = (request, signal) => chat.stream(request, signal);
  await work();
  harness.summarizer = undefined;
  server.answer('Fine.');
}

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** The shortest key event in the request whose message contains more than its quote. */
function shortest({ state }: Conversation): KeyEvent {
  const events = [...state.events.values()].filter((event) => {
    const message = state.messages.get(event.message);
    return state.isCurrent(event) && message && messageText(message).length > event.quote.length + 1;
  });
  return events.sort((a, b) => a.quote.length - b.quote.length)[0] ?? assert.fail('no suitable key event');
}

/** How often a text occurs in a request. */
const times = (text: string, { raw }: { readonly raw: string }): number => raw.split(text).length - 1;

/** What is sent instead of a summary's messages. */
function sentText({ state }: Conversation, id: NodeId): string {
  const node = state.nodes.get(id);
  return node?.[state.levels.get(id) ?? 'detailed'] ?? '';
}

/** The marker of a summarized message that wasn't sent before, not even as a quote. */
function unsentMark({ state }: Conversation, id: NodeId, before: string): string {
  const { first, messages } = state.nodes.get(id) ?? { messages: 0 };
  const from = first === undefined ? 0 : (state.positionOf(first) ?? 0);
  const marks = Array.from({ length: messages }, (_, n) => markOf(from + n));
  return marks.find((mark) => !before.includes(mark)) ?? '';
}

const markOf = (position: number): string => `(said at place ${position} of it)`;

/** A session between developers, compressed without a model. */
async function compressedSession(harness: Harness, messages: number): Promise<Conversation> {
  const conversation = await harness.converse();
  let parent = conversation.state.head;
  const said = syntheticSession(messages).map(({ role, text }, n) => {
    const content = [{ type: 'text' as const, text: `${text} ${markOf(n)}` }];
    const message = { id: messageId(`m${n}`), parent, role, content, at: n };
    parent = message.id;
    return { type: 'message_added', message } as const;
  });
  await conversation.journal.append(...said);
  assert.equal((await conversation.compressNow()).kind, 'committed');
  return conversation;
}
