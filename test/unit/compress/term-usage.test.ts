import assert from 'node:assert/strict';
import { buildCorpus, rarityOfText, TermUsage, type Corpus } from '../../../src/core/compress/corpus.ts';
import { message, pace } from './summarize-fixtures.ts';

const USUAL = 'The list is handed to the caller.';
const FACT = 'Rosalind parks the kite box at Varna.';

const usual = (from: number, count: number) =>
  Array.from({ length: count }, (_, n) =>
    message(from + n, n === 0 ? 'tool' : 'assistant', `${USUAL} Row ${from + n}.`),
  );

describe('term usage of a session', () => {
  /** A text's rarity in a corpus of only these two sentences, and in the session. */
  const rarity = async (usage: TermUsage, text: string): Promise<readonly [alone: number, within: number]> => {
    const few = await buildCorpus([message(900, 'assistant', USUAL), message(901, 'assistant', FACT)], pace);
    return [rarityOfText(few, text), rarityOfText(await usage.withSessionRarity(few, pace), text)];
  };
  const add = async (usage: TermUsage, messages: ReturnType<typeof usual>, corpus?: Corpus): Promise<void> => {
    await usage.add(corpus ?? (await buildCorpus(messages, pace)), messages, pace);
  };

  it('distinguishes frequent statements from rare ones where a few messages cannot', async () => {
    const usage = new TermUsage();
    assert.equal(usage.isEmpty, true);
    await add(usage, usual(0, 60));
    await add(usage, [...usual(60, 20), message(80, 'user', FACT)]);
    assert.equal(usage.isEmpty, false);
    const [usualAlone, usualWithin] = await rarity(usage, USUAL);
    const [factAlone, factWithin] = await rarity(usage, FACT);
    assert.ok(usualAlone > 0.8 * factAlone, `${usualAlone} ${factAlone}`);
    assert.ok(usualWithin < 0.6 && factWithin > 0.8, `${usualWithin} ${factWithin}`);
  });

  it('counts each message once, however often a growing run is added again', async () => {
    const once = new TermUsage();
    await add(once, usual(0, 30));
    const often = new TermUsage();
    for (const count of [10, 20, 20, 30]) await add(often, usual(0, count));
    for (const text of [USUAL, FACT]) assert.deepEqual(await rarity(often, text), await rarity(once, text));
  });

  it('leaves a corpus unchanged when it already contains every message', async () => {
    const messages = [...usual(0, 5), message(5, 'user', FACT)];
    const corpus = await buildCorpus(messages, pace);
    const usage = new TermUsage();
    await add(usage, messages, corpus);
    assert.equal(await usage.withSessionRarity(corpus, pace), corpus);
  });

  it('forgets the least used terms instead of growing without limit', async () => {
    const usage = new TermUsage();
    await add(usage, usual(0, 40));
    const many = Array.from({ length: 70 }, (_, n) =>
      message(40 + n, 'user', Array.from({ length: 1_000 }, (_, k) => `Zq${n}x${k}`).join(' ')),
    );
    await add(usage, many);
    const [, within] = await rarity(usage, USUAL);
    assert.ok(within < 0.5, `${within}`);
    const forgotten = await buildCorpus([message(950, 'user', 'Zq3x5')], pace);
    assert.equal(rarityOfText(await usage.withSessionRarity(forgotten, pace), 'Zq3x5'), 1);
  });
});
