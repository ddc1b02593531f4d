import assert from 'node:assert/strict';
import { setTimeout as pass } from 'node:timers/promises';
import { SessionSearch } from '../../../src/app/session-search.ts';
import { alwaysDue } from '../../support/yielders.ts';
import { Harness, fill } from './harness.ts';
import { openForEachTest } from '../../support/per-test.ts';

describe('search within a session', () => {
  let harness: Harness;
  openForEachTest(async () => (harness = await Harness.open()));

  it('recalls only from compressed messages, so the message that asks changes nothing', async () => {
    const conversation = await harness.compressed(60, (n) =>
      n === 0 ? 'The lamp of the pier is on channel 42.' : `Line ${n} is dry.`,
    );
    const search = new SessionSearch(() => conversation.state, harness.clock);
    const recall = () => search.recall('On which channel is the lamp?', 400, conversation.counter);
    const before = await recall();
    assert.match(before[0]?.text ?? '', /channel 42/);
    await fill(conversation, 1, () => 'On which channel is the lamp, and who is the zookeeper?');
    assert.deepEqual(await recall(), before);
    assert.deepEqual(await search.search('zookeeper', 3), []);
    await search.updateIndex();
    assert.equal((await search.search('zookeeper', 3)).length, 1);
  });

  it('recalls a listing that was repeated only once, beside what was said about it', async () => {
    const parts = ['lamp', 'horn', 'radar', 'pump', 'winch', 'buoy', 'crane', 'ladder', 'anchor', 'siren', 'hatch'];
    const menu = parts.map((one) => `AddButton("${one}", pierMenu, 240, 34);`);
    const conversation = await harness.compressed(60, (n) => {
      if (n === 7) return 'In the menu of the pier, the winch stays disabled until the harbor master has agreed.';
      return n % 5 === 0 && n < 40 ? `Here is version ${n} of the menu:\n${menu.join('\n')}` : `Line ${n} is dry.`;
    });
    const search = new SessionSearch(() => conversation.state, harness.clock);
    const found = await search.recall('Which button of the pier’s menu stays disabled?', 500, conversation.counter);
    assert.equal(found.filter(({ text }) => text.includes('AddButton')).length, 1);
    assert.ok(found.some(({ text }) => text.includes('harbor master')));
  });

  it('recalls a short message, even if all of its words are in others', async () => {
    const conversation = await harness.compressed(60, (n) => {
      if (n === 7) return 'The winch of the pier stays disabled until the harbor master has agreed to the lamp.';
      return n === 9 ? 'The winch stays.' : `Line ${n} is dry.`;
    });
    const search = new SessionSearch(() => conversation.state, harness.clock);
    const found = await search.recall('What about the winch of the pier, is it disabled?', 400, conversation.counter);
    assert.ok(found.some(({ text }) => text === 'The winch stays.'));
  });

  it('ranks what was said above a listing with the same words', async () => {
    const listing = 'lamp.button.open(pierMenu, 240, 34);\nlamp.button.close(pierMenu, 240, 34);\n'.repeat(4);
    const conversation = await harness.filled(2, (n) =>
      n === 0 ? 'The button of the lamp is 240 wide, as Rita asked.' : `Here is the file:\n${listing}`,
    );
    const search = new SessionSearch(() => conversation.state, harness.clock);
    await search.updateIndex();
    const [first] = await search.search('lamp button 240', 5, undefined, ['message']);
    assert.match(first?.text ?? '', /as Rita asked/);
  });

  it('yields between the results, because excerpts of long messages take time', async () => {
    const conversation = await harness.filled(9, (n) => `The lamp ${n} is dry.`);
    let yields = 0;
    const yielder = alwaysDue(() => {
      yields++;
      return Promise.resolve();
    });
    const search = new SessionSearch(() => conversation.state, { ...harness.clock, yielder });
    await search.updateIndex();
    yields = 0;
    assert.equal((await search.search('lamp', 5)).length, 5);
    assert.ok(yields >= 5);
  });

  it('recalls nothing for a message that only thanks or agrees', async () => {
    const conversation = await harness.compressed(60, (n) => (n % 2 === 0 ? `Line ${n} is dry.` : 'ok thanks'));
    const search = new SessionSearch(() => conversation.state, harness.clock);
    const recalledFor = async (text: string) => (await search.recall(text, 400, conversation.counter)).length;
    assert.equal(await recalledFor('ok, thanks!'), 0);
    assert.notEqual(await recalledFor('ok thanks, is line 4 dry?'), 0);
  });

  it('finds the messages of a branch that was started after the others were indexed', async () => {
    const conversation = await harness.filled(6, (n) => `Line ${n} is dry.`);
    const search = new SessionSearch(() => conversation.state, harness.clock);
    await search.updateIndex();
    await conversation.moveHead(conversation.state.path[1]!);
    await fill(conversation, 2, (n) => `The zookeeper is out for ${n} days.`);
    await search.updateIndex();
    const found = (await search.search('zookeeper', 9)).map(({ position }) => position);
    assert.deepEqual(found.sort(), [2, 3]);
  });

  it('omits results that were undone while it was yielding', async () => {
    const conversation = await harness.filled(9, (n) => `The lamp ${n} is dry.`);
    let undo: (() => Promise<void>) | undefined;
    const yielder = alwaysDue(() => undo?.() ?? Promise.resolve());
    const search = new SessionSearch(() => conversation.state, { ...harness.clock, yielder });
    await search.updateIndex();
    undo = async () => {
      undo = undefined;
      await conversation.moveHead(conversation.state.path[3]!);
    };
    const found = await search.search('lamp', 9);
    assert.deepEqual(found.map(({ position }) => position).sort(), [0, 1, 2, 3]);
  });

  it('finds everything in a second search that starts while the first is still indexing', async () => {
    const conversation = await harness.compressed(60, (n) =>
      n === 0 ? 'We decided to keep the lamp on channel 42.' : `Line ${n} is dry.`,
    );
    const search = new SessionSearch(() => conversation.state, { ...harness.clock, yielder: alwaysDue(() => pass(0)) });
    const found = async (): Promise<unknown> => {
      await search.updateIndex();
      return (await search.search('line lamp channel', 100)).map(({ message, kind }) => `${kind} ${message}`);
    };
    const [first, second] = await Promise.all([found(), found()]);
    assert.deepEqual(second, first);
    assert.deepEqual(second, await found());
  });
});
