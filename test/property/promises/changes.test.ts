import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Conversation } from '../../../src/app/conversation.ts';
import {
  correctEvent,
  editSummary,
  expandNode,
  setLevel,
  undoCompressions,
  undoOrRedoChange,
} from '../../../src/app/summary-changes.ts';
import { KEY_EVENT_KINDS } from '../../../src/core/model/key-event.ts';
import { proseSummary, type Level, type SummaryNode } from '../../../src/core/model/summary.ts';
import type { SessionState } from '../../../src/core/state/session-state.ts';
import { Harness, fill, says } from '../../unit/app/harness.ts';
import { doing, type Drawn } from './steps.ts';

const RUNS = process.env['THREADKEEPER_LONG'] ? 400 : 12;

const pick = fc.nat({ max: 1_000 });
const level = fc.constantFrom<Level[]>('brief', 'detailed', 'full');

/** An action of a user on summaries or key events. A number picks an existing item, modulo their number. */
const userAction = fc.oneof(
  doing(4, 'edit', { pick, level }),
  doing(2, 'regenerate', { pick, finer: fc.boolean() }),
  doing(2, 'level', { pick, level }),
  doing(2, 'expand', { pick, how: fc.constantFrom('turn' as const, 'always' as const) }),
  doing(2, 'undoCompression', { pick, undone: fc.boolean() }),
  doing(2, 'pin', { pick, on: fc.boolean() }),
  doing(2, 'strike', { pick, on: fc.boolean() }),
  doing(1, 'correct', { pick, kind: pick }),
  doing(5, 'step', { undone: fc.boolean() }),
  doing(2, 'reload', {}),
);
type UserAction = Drawn<typeof userAction>;

function request(conversation: Conversation): unknown {
  const { system, messages } = conversation.context();
  return { system, messages };
}

/** A session with summaries and key events, its history of changes, and the next request after each of them. */
class ChangeHistory {
  readonly harness: Harness;
  conversation: Conversation;
  /** The requests after each applied change, starting with the original; `at` is the current index. */
  readonly #requests: unknown[];
  #at = 0;
  #written = 0;

  private constructor(harness: Harness, conversation: Conversation) {
    this.harness = harness;
    this.conversation = conversation;
    this.#requests = [request(conversation)];
  }

  static async begin(): Promise<ChangeHistory> {
    const harness = await Harness.open();
    const conversation = await harness.converse();
    for (let round = 0; round < 2; round++) {
      await fill(conversation, 60, (n) => (n % 9 === 0 ? `We decided to use port ${8400 + n + round}.` : part(n)));
      assert.equal((await conversation.compressNow()).kind, 'committed');
    }
    return new ChangeHistory(harness, conversation);
  }

  get state(): SessionState {
    return this.conversation.state;
  }

  async do(one: UserAction): Promise<void> {
    if (one.do === 'reload') {
      const before = request(this.conversation);
      this.conversation = await this.harness.restart(this.conversation);
      assert.deepEqual(request(this.conversation), before, 'a reload changes nothing');
      return;
    }
    if (one.do === 'step') {
      const moved = await undoOrRedoChange(this.conversation.journal, one.undone);
      const there = one.undone ? this.#at > 0 : this.#at < this.#requests.length - 1;
      assert.equal(moved, there, 'there is a change to step over as long as there was one');
      if (moved) this.#at += one.undone ? -1 : 1;
      assert.deepEqual(request(this.conversation), this.#requests[this.#at], 'a step gives back that very request');
      return;
    }
    const changes = this.state.changes.length;
    await this.#change(one);
    const recorded = this.state.changes.length - changes;
    assert.ok(recorded === 0 || recorded === 1, 'what a user does is one change');
    if (recorded === 0) {
      assert.deepEqual(request(this.conversation), this.#requests[this.#at], 'what is no change changes nothing');
      return;
    }
    this.#at++;
    this.#requests.splice(this.#at);
    this.#requests.push(request(this.conversation));
  }

  async #change(one: Exclude<UserAction, { do: 'step' | 'reload' }>): Promise<void> {
    const { journal, counter } = this.conversation;
    const node = chosen([...this.state.nodes.values()], one.pick);
    switch (one.do) {
      case 'edit': {
        const text = `By hand, number ${++this.#written}.`;
        await editSummary(journal, counter, node.id, one.level, text);
        return this.#expectSent(node, text, one.level);
      }
      case 'regenerate': {
        const narrative = `Told anew, number ${++this.#written}: the user asked about part 4 and part 5.`;
        this.harness.summarizer = says(JSON.stringify(proseSummary(narrative)));
        const made = await this.harness.regenerateSummary(this.conversation, { node: node.id, finer: one.finer });
        const shown = this.state.levels.get(node.id) ?? 'detailed';
        if (one.finer) assert.equal(shown, 'full');
        return this.#expectSent(made, made[shown] ?? made.detailed, shown);
      }
      case 'level': {
        const text = node[one.level];
        await setLevel(journal, node.id, one.level);
        return text === undefined ? undefined : this.#expectSent(node, text, one.level);
      }
      case 'expand': {
        await expandNode(journal, node.id, one.how);
        return this.#expectVerbatim(node);
      }
      case 'undoCompression': {
        const { id, nodes } = chosen(this.state.compressions, one.pick);
        await undoCompressions(journal, [id], one.undone);
        if (one.undone) for (const each of nodes) this.#expectVerbatim(this.state.nodes.get(each)!);
        return;
      }
      case 'pin': {
        const event = chosen([...this.state.events.values()], one.pick);
        await journal.append({ type: 'event_pinned', id: event.id, pinned: one.on });
        assert.equal(this.state.events.get(event.id)?.pinned, one.on);
        return;
      }
      case 'strike': {
        const event = chosen([...this.state.events.values()], one.pick);
        await journal.append({ type: 'event_removed', id: event.id, removed: one.on });
        assert.equal(this.state.isRemoved(event.id), one.on);
        return;
      }
      case 'correct': {
        const event = chosen([...this.state.events.values()], one.pick);
        await correctEvent(journal, event.id, { kind: chosen(KEY_EVENT_KINDS, one.kind) });
        return;
      }
    }
  }

  /** A node that currently covers its messages is sent with that text if it's sent at that level. */
  #expectSent(node: SummaryNode, text: string, at: Level): void {
    const stands = this.state.frontier.some((item) => item.node.id === node.id);
    if (!stands || (this.state.levels.get(node.id) ?? 'detailed') !== at) return;
    assert.ok(this.conversation.context().system.join('\n').includes(text), `the next request says “${text}”`);
  }

  /** No summary above the node covers its messages, unless a wider one does. */
  #expectVerbatim(node: SummaryNode): void {
    assert.ok(!this.state.frontier.some((item) => item.node.id === node.id), 'an opened summary stands for nothing');
    const from = this.state.positionOf(node.first)!;
    if (this.state.frontier.some((item) => item.from <= from && from <= item.to)) return;
    const sent = this.conversation.context().messages.find(({ position }) => position === from);
    assert.deepEqual(sent?.content.at(-1), this.state.messages.get(node.first)?.content.at(-1));
  }

  /** Undoes all changes, checks each request on the way, redoes them, and sends the result. */
  async end(): Promise<void> {
    while (this.#at > 0) await this.do({ do: 'step', undone: true });
    await this.do({ do: 'step', undone: true });
    while (this.#at < this.#requests.length - 1) await this.do({ do: 'step', undone: false });
    await this.do({ do: 'reload' });
    const { system } = this.conversation.context();
    await this.conversation.send('Go on.');
    assert.deepEqual(this.harness.requests.at(-1)?.system, system, 'what was promised is what is sent');
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async close(): Promise<void> {
    await this.conversation.settled();
    await this.conversation.close();
    await this.harness.close();
  }
}

describe('changes to summaries and key events, in any order', () => {
  it('take effect in the next request, survive a reload, and are undone and redone exactly', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(userAction, { minLength: 4, maxLength: 24 }), async (deeds) => {
        await using story = await ChangeHistory.begin();
        for (const one of deeds) await story.do(one);
        await story.end();
      }),
      { numRuns: RUNS },
    );
  }).timeout(240_000 + RUNS * 8_000);
});

function chosen<Item>(items: readonly Item[], pick: number): Item {
  return items[pick % items.length] ?? assert.fail('there is nothing to choose from');
}

const part = (n: number): string =>
  n % 2 === 0
    ? `What happens in part ${n}?`
    : [1, 2, 3, 4]
        .map((k) => `Could row ${n}.${k} of page ${n * k} hold column ${k + n}, or table ${n + 7 * k}?`)
        .join(' ');
