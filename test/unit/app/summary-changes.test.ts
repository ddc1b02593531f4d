import assert from 'node:assert/strict';
import type { Conversation } from '../../../src/app/conversation.ts';
import { ModelFault } from '../../../src/app/fault.ts';
import {
  compressionsSince,
  editSummary,
  expandNode,
  newestActiveCompression,
  setLevel,
  undoOrRedoChange,
  ChangeFault,
  undoCompressions,
} from '../../../src/app/summary-changes.ts';
import { compressionWith } from '../../../src/core/journal/schema.ts';
import { compressionId, messageId, nodeId, type NodeId } from '../../../src/core/model/ids.ts';
import { tokensStillSaved } from '../../../src/core/state/counters.ts';
import { missingFromSource, proseSummary, type SummaryNode } from '../../../src/core/model/summary.ts';
import { hasWarning } from '../../../src/host/summaries/summary-tree.ts';
import { fill, fillAndCompress, Harness, says, throws } from './harness.ts';
import { openForEachTest } from '../../support/per-test.ts';

/** Tokens as counted here. */
const savedTokens = ({ state }: Conversation): number => tokensStillSaved(state, (counted) => counted);

describe('summary that the user changes', () => {
  let harness: Harness;
  let conversation: Conversation;

  openForEachTest(async () => (harness = await Harness.open()));
  beforeEach(async () => {
    conversation = await harness.compressed(60, body);
  });

  const first = (): SummaryNode => conversation.state.frontier[0]!.node;
  const sent = (): string => conversation.context().system.join('\n');
  const edit = (id: NodeId, text: string): Promise<boolean> =>
    editSummary(conversation.journal, conversation.counter, id, 'detailed', text);
  const undo = (): Promise<boolean> => undoOrRedoChange(conversation.journal, true);
  const redo = (): Promise<boolean> => undoOrRedoChange(conversation.journal, false);
  /** The next request: everything before the messages, or the verbatim messages. */
  const asked = async (part: 'system' | 'messages' = 'system'): Promise<string> => {
    await conversation.send('Go on.');
    return JSON.stringify(harness.requests.at(-1)?.[part]);
  };
  /** Merges all summaries into one. */
  const joined = async (): Promise<SummaryNode> => {
    await fillAndCompress(conversation, 60, body);
    const [one, two] = conversation.state.frontier.map(({ node }) => node);
    assert.ok(one && two);
    const parent: SummaryNode = {
      ...one,
      id: nodeId('parent'),
      depth: 1,
      children: [one.id, two.id],
      last: two.last,
      messages: one.messages + two.messages,
    };
    const compression = compressionWith({ id: compressionId('joined'), nodes: [parent] });
    await conversation.journal.append({ type: 'compressed', compression });
    assert.equal(first().id, parent.id);
    return parent;
  };

  it('is sent as edited, even after a reload, and as before once the edit is undone', async () => {
    const before = sent();
    const { id, detailed } = first();
    await setLevel(conversation.journal, id, 'detailed');
    assert.equal(await edit(id, 'The listing, by hand.\n'), true);
    assert.match(await asked(), /The listing, by hand\./);
    conversation = await harness.restart(conversation);
    assert.match(await asked(), /The listing, by hand\./);
    assert.equal(first().rung, 'edited');
    await undo();
    assert.equal(first().detailed, detailed);
    assert.notEqual(first().rung, 'edited');
    await undo();
    assert.equal(sent(), before);
    await redo();
    await redo();
    assert.match(sent(), /The listing, by hand\./);
    assert.equal(await redo(), false);
  });

  it('cannot be emptied, and records no edit that changes nothing', async () => {
    const { id, brief } = first();
    const { journal, counter } = conversation;
    await assert.rejects(editSummary(journal, counter, id, 'brief', ' \n'), (error) => ChangeFault.is(error, 'empty'));
    assert.equal(await editSummary(journal, counter, id, 'brief', `${brief}\n`), false);
    assert.equal(conversation.state.changes.length, 0);
  });

  it('updates its parent summary at the next compression', async () => {
    const parent = await joined();
    const said = 'Ingrid keeps the spare lantern beside the old kiln.';
    await edit(parent.children[0]!, said);
    assert.ok(!first().detailed.includes(said));
    await fillAndCompress(conversation, 60, body);
    assert.deepEqual(first().children, parent.children);
    assert.ok(first().detailed.includes(said));
    assert.ok(!conversation.state.stale.has(first().id));
  });

  it('passes its edited text to its parent, not the model’s structured output', async () => {
    const wrong = 'The spare lantern is kept in the attic.';
    const said = 'Ingrid keeps the spare lantern beside the old kiln.';
    for (const answer of [
      JSON.stringify({ ...proseSummary('They went through the parts of a listing.'), facts: [wrong] }),
      `They went through the parts of a listing. ${wrong}`,
    ]) {
      conversation = await harness.converse();
      harness.summarizer = says(answer);
      await fillAndCompress(conversation, 60, body);
      const parent = await joined();
      for (const child of parent.children) await edit(child, said);
      await harness.regenerateSummary(conversation, { node: parent.id });
      assert.ok(first().detailed.includes(said), first().detailed);
      assert.ok(!first().detailed.includes(wrong), first().detailed);
      assert.ok(!JSON.stringify(first().structured ?? '').includes(wrong));
      await undo();
      await undo();
      assert.ok(JSON.stringify(conversation.state.nodes.get(parent.children[1]!)?.structured).includes(wrong));
    }
  });

  it('loses its audit warning for terms that the user removes', async () => {
    const wrong = 'Everything is served by lanternd 7.41.9 on port 60123.';
    conversation = await harness.converse();
    harness.summarizer = says(`They went through the parts of a listing. ${wrong}`);
    await fillAndCompress(conversation, 60, body);
    const { id, audit, detailed } = first();
    const found = missingFromSource(audit);
    assert.ok(found.includes('60123') && found.includes('7.41.9'), found.join(', '));
    assert.ok(hasWarning(conversation.state, first()));
    await edit(id, detailed.replace(' on port 60123', ''));
    const expected = found.filter((term) => term !== '60123');
    assert.deepEqual(missingFromSource(first().audit), expected);
    await edit(id, detailed.replace(wrong, ''));
    assert.ok(!hasWarning(conversation.state, first()));
    const { known, total } = first().audit.identifiers;
    assert.equal(known, total);
    await undo();
    await undo();
    assert.deepEqual(first().audit, audit);
  });

  it('keeps its edit when merged again, even if it was merged from summaries itself', async () => {
    const said = 'Ingrid keeps the spare lantern beside the old kiln.';
    harness.set({ contextWindow: 6_000, reservedTokens: 1_000 });
    const condensed = async (): Promise<SummaryNode> => {
      const before = first().id;
      for (let round = 0; round < 20; round++) {
        await fillAndCompress(conversation, 60, (n) => body(n + 60 * round));
        if (first().children.length > 0 && first().id !== before) return first();
      }
      throw new Error('nothing was condensed');
    };
    const { id, detailed } = await condensed();
    await edit(id, `${said}\n${detailed}`);
    assert.ok((await condensed()).detailed.includes(said), first().detailed);
  });

  it('marks its parent as stale until the edit is undone', async () => {
    const parent = await joined();
    await edit(parent.children[0]!, 'Something else.');
    assert.ok(conversation.state.stale.has(parent.id));
    conversation = await harness.restart(conversation);
    assert.ok(conversation.state.stale.has(parent.id));
    await harness.regenerateSummary(conversation, { node: parent.id });
    assert.ok(first().detailed.includes('Something else.'));
    assert.equal(conversation.state.stale.size, 0, 'made from its children as they are now');
    await undo();
    assert.ok(conversation.state.stale.has(parent.id));
    await undo();
    assert.equal(conversation.state.stale.size, 0);
  });

  it('marks its parent as stale when it is undone, until it is restored', async () => {
    const parent = await joined();
    const { journal } = conversation;
    await journal.append({ type: 'node_undone', node: parent.children[0]!, undone: true });
    assert.ok(conversation.state.stale.has(parent.id));
    conversation = await harness.restart(conversation);
    assert.ok(conversation.state.stale.has(parent.id));
    await conversation.journal.append({ type: 'node_undone', node: parent.children[0]!, undone: false });
    assert.equal(conversation.state.stale.size, 0);
    assert.equal(first().id, parent.id);
  });

  it('marks its parent as stale when its compression is undone while it is expanded', async () => {
    const parent = await joined();
    const { journal, state } = conversation;
    const [child] = parent.children;
    const made = state.compressions.find(({ nodes }) => nodes.includes(child!))!;
    await expandNode(journal, child!, 'turn');
    await journal.append({ type: 'compressions_undone', compressions: [made.id], undone: true });
    assert.ok(conversation.state.stale.has(parent.id));
  });

  it('leaves none of its ancestors stale after its compression is undone and restored', async () => {
    const { journal, state } = conversation;
    await fillAndCompress(conversation, 60, body);
    const compressions = state.compressions.map(({ id }) => id);
    const add = async (id: string, depth: number, children: readonly SummaryNode[]): Promise<SummaryNode> => {
      const node = { ...children[0]!, id: nodeId(id), depth, children: children.map((child) => child.id) };
      const compression = compressionWith({ id: compressionId(id), nodes: [node] });
      await journal.append({ type: 'compressed', compression });
      return node;
    };
    const [one, two] = state.frontier.map(({ node }) => node);
    assert.ok(one && two);
    await add('outer', 2, [one, await add('inner', 1, [two])]);
    await journal.append({ type: 'compressions_undone', compressions, undone: true });
    assert.deepEqual([...state.stale].sort(), ['inner', 'outer']);
    await journal.append({ type: 'compressions_undone', compressions, undone: false });
    assert.deepEqual([...state.stale], []);
  });

  it('is expanded to its verbatim messages for one turn, and returns after the reply', async () => {
    const before = sent();
    const { id } = first();
    await expandNode(conversation.journal, id, 'turn');
    assert.match(await asked('messages'), /What happens in part 0\?/);
    assert.equal(sent(), before);
    assert.doesNotMatch(await asked('messages'), /What happens in part 0\?/);
  });

  it('stays expanded to its verbatim messages until that is undone', async () => {
    const { id } = first();
    await expandNode(conversation.journal, id, 'always');
    assert.match(await asked('messages'), /What happens in part 0\?/);
    conversation = await harness.restart(conversation);
    assert.match(await asked('messages'), /What happens in part 0\?/);
    await undo();
    assert.doesNotMatch(await asked('messages'), /What happens in part 0\?/);
  });

  it('is expanded to verbatim messages, not to its child summaries, if it was merged', async () => {
    const parent = await joined();
    const request = await asked('system');
    for (const how of ['turn', 'always'] as const) {
      await expandNode(conversation.journal, parent.id, how);
      const below = conversation.state.frontier.filter(({ from }) => from < parent.messages);
      assert.deepEqual(below, []);
      assert.match(await asked('messages'), /What happens in part 0\?/);
    }
    await undo();
    assert.equal(await asked('system'), request);
    assert.equal(first().id, parent.id);
  });

  it('is regenerated by another model with custom instructions, and sent with the next request', async () => {
    const { id, detailed } = first();
    const narrative = 'The user asked what each part does, and part 4 comes after part 3.';
    harness.summarizer = says(JSON.stringify({ ...proseSummary(narrative), topics: ['parts of the listing'] }));
    let prompt = '';
    const script = harness.summarizer;
    harness.summarizer = (request, signal) => {
      prompt = JSON.stringify(request.messages);
      return script(request, signal);
    };
    await harness.regenerateSummary(conversation, { node: id, instructions: 'Tell of {{history}} colours.' });
    assert.match(prompt, /Tell of \{ \{history\}\} colours\./);
    assert.equal(first().id, id);
    assert.equal(first().model, 'test/summarizer');
    await setLevel(conversation.journal, id, 'detailed');
    assert.ok((await asked()).includes(narrative));
    assert.ok(conversation.state.counters.compressionTokens > 0, 'what it cost is on record');
    conversation = await harness.restart(conversation);
    assert.ok(sent().includes(narrative));
    await undo();
    await undo();
    assert.equal(first().detailed, detailed);
  });

  const german = says(
    'Der Nutzer fragt, was in jedem Teil der Datei geschieht, und der Assistent hat es ihm mit der Liste erklärt.',
  );
  for (const [what, second] of [
    ['keeps writing in another language', german],
    ['refuses to translate a summary', throws(new ModelFault('content_refused', 'no'))],
  ] as const)
    it(`is regenerated with a single request by a model that ${what}, which is logged`, async () => {
      let requests = 0;
      harness.summarizer = (request, signal) => (++requests === 2 ? second : german)(request, signal);
      for (const expected of [2, 3]) {
        await harness.regenerateSummary(conversation, { node: first().id });
        assert.equal(requests, expected);
      }
      assert.equal(
        harness.logged('warn').filter(({ fields }) => /wrote in German/.test(String(fields.message))).length,
        2,
      );
    });

  it('is regenerated in full from its source and sent in full, as one change', async () => {
    const { id, tokens } = first();
    await harness.regenerateSummary(conversation, { node: id, finer: true });
    assert.ok(first().tokens.full! > tokens.detailed && first().tokens.full! <= 0.7 * tokens.source);
    assert.ok(sent().includes(first().full!));
    await undo();
    assert.equal(first().full, undefined);
    assert.equal(conversation.state.levels.get(id) === 'full', false);
  });

  it('stays unchanged instead of being extracted if a listing has nothing to show the model', async () => {
    const text = Array.from({ length: 300 }, (_, at) => `-rw-r--r-- 1 root root ${at} Jan 3 a${at}.ts`).join('\n');
    const message = {
      ...conversation.state.messages.get(first().first)!,
      id: messageId('listing'),
      role: 'tool' as const,
    };
    const parent = conversation.state.head;
    const listing = { ...message, ...(parent && { parent }), content: [{ type: 'text' as const, text }] };
    await conversation.journal.append({ type: 'message_added', message: listing });
    const node = { ...first(), id: nodeId('listing'), first: listing.id, last: listing.id, messages: 1 };
    const compression = compressionWith({ id: compressionId('listing'), nodes: [node] });
    await conversation.journal.append({ type: 'compressed', compression });
    let requests = 0;
    harness.summarizer = (request, signal) => {
      requests++;
      return says('Files.')(request, signal);
    };
    await assert.rejects(harness.regenerateSummary(conversation, { node: node.id }), { reason: 'nothing_shorter' });
    assert.equal(requests, 0);
  });

  it('keeps the edit that the user made while it was regenerated', async () => {
    const { id } = first();
    harness.summarizer = async function* (request, signal) {
      await edit(id, 'All of it is about the lamp.');
      yield* says('They went through all the parts, and each part was explained.')(request, signal);
    };
    await assert.rejects(harness.regenerateSummary(conversation, { node: id }), { reason: 'changed' });
    assert.equal(first().detailed, 'All of it is about the lamp.');
  });

  it('stays unchanged if the model fails, returns nothing useful, or the spending limit is reached', async () => {
    const before = first();
    harness.summarizer = async function* () {
      await Promise.resolve();
      yield* [];
      throw new TypeError('gone');
    };
    await assert.rejects(harness.regenerateSummary(conversation, { node: before.id }), TypeError);
    assert.equal(first(), before);
    harness.summarizer = throws(new ModelFault('content_refused', 'no'));
    await assert.rejects(harness.regenerateSummary(conversation, { node: before.id }), { reason: 'content_refused' });
    assert.equal(first(), before);
    harness.summarizer = says('');
    await assert.rejects(harness.regenerateSummary(conversation, { node: before.id }), { name: 'ChangeFault' });
    assert.equal(first(), before);
    harness.spendGate = { state: () => 'spent', recordCost: () => undefined };
    await assert.rejects(harness.regenerateSummary(conversation, { node: before.id }), { name: 'SpendLimitReached' });
    assert.equal(first(), before);
  });

  it('leaves the context when its compression, or every compression since an earlier one, is undone, and returns on redo', async () => {
    const one = newestActiveCompression(conversation.state)!;
    await fillAndCompress(conversation, 60, body);
    const after = sent();
    await undoCompressions(
      conversation.journal,
      compressionsSince(conversation.state, newestActiveCompression(conversation.state)),
      true,
    );
    assert.equal(conversation.state.frontier.length, 1);
    assert.equal(newestActiveCompression(conversation.state), one);
    await undo();
    assert.equal(sent(), after);
    await undoCompressions(conversation.journal, compressionsSince(conversation.state, one), true);
    assert.equal(conversation.state.frontier.length, 0);
    assert.equal(savedTokens(conversation), 0, 'nothing is saved by what was undone');
    conversation = await harness.restart(conversation);
    assert.equal(conversation.state.frontier.length, 0);
    await undoCompressions(
      conversation.journal,
      conversation.state.compressions.map(({ id }) => id),
      false,
    );
    assert.equal(sent(), after);
    const saved = savedTokens(conversation);
    assert.ok(saved > 0);
    const doubled = tokensStillSaved(conversation.state, ({ before, after }) => ({
      before: 2 * before,
      after: 2 * after,
    }));
    assert.equal(doubled, 2 * saved);
  });

  it('is not picked for undo on a branch that does not contain it', async () => {
    const one = newestActiveCompression(conversation.state)!;
    await fillAndCompress(conversation, 60, body);
    const [first] = conversation.state.frontier;
    assert.notEqual(newestActiveCompression(conversation.state), one);
    await conversation.moveHead(first!.node.last);
    assert.equal(newestActiveCompression(conversation.state), one);
    await conversation.moveHead(first!.node.first);
    assert.equal(newestActiveCompression(conversation.state), undefined);
  });

  it('is replaced by its messages when it is reverted after a regeneration, not by an older extractive summary', async () => {
    harness.summarizer = says(JSON.stringify(proseSummary('Each part of the report was discussed. Version 1.')));
    await fillAndCompress(conversation, 60, body);
    const node = first();
    assert.equal(node.replaces?.length, 1);
    harness.summarizer = says(JSON.stringify(proseSummary('Each part of the report was discussed. Version 2.')));
    await harness.regenerateSummary(conversation, { node: node.id });
    await expandNode(conversation.journal, node.id, 'always');
    assert.deepEqual(conversation.state.frontier, []);
  });

  it('keeps the level that was selected while a finished compression waited for the end of a reply', async () => {
    const { id } = first();
    await fill(conversation, 60, body);
    const isHeld = Promise.withResolvers<undefined>();
    const isAsked = Promise.withResolvers<undefined>();
    harness.script = async function* (request, signal) {
      isAsked.resolve(undefined);
      await isHeld.promise;
      yield* says('Fine.')(request, signal);
    };
    const sent = conversation.send('Go on.');
    await isAsked.promise;
    await conversation.compressNow();
    await setLevel(conversation.journal, id, 'brief');
    isHeld.resolve(undefined);
    await sent;
    await conversation.settled();
    assert.ok(conversation.state.compressions.length >= 2);
    assert.equal(conversation.state.levels.get(id), 'brief');
  });
});

const THINGS = ['rows', 'columns', 'widths', 'colours', 'headings', 'loops', 'helpers', 'objects', 'lists', 'tables'];

/** Small talk without repetition. */
const body = (n: number): string => {
  const thing = (k: number): string => THINGS[(n * 7 + k * 3) % THINGS.length]!;
  if (n % 2 === 0) return `What happens in part ${n}?`;
  return [1, 2, 3, 4]
    .map(
      (k) =>
        `Could the ${thing(k)} of page ${n * k} in part ${n}.${k} be ${thing(k + 1)}${n}, or rather ${thing(k + 2)}?`,
    )
    .join(' ');
};
