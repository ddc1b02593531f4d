import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { SessionSearch } from '../../../src/app/session-search.ts';
import { editSummary } from '../../../src/app/summary-changes.ts';
import { contextStatuses } from '../../../src/app/context-status.ts';
import { nodeText } from '../../../src/core/context/render-context.ts';
import { messageText } from '../../../src/core/model/message.ts';
import { Harness } from '../../unit/app/harness.ts';
import { runs } from '../runs.ts';

const SUBJECTS = ['gateway', 'scheduler', 'invoice', 'harbour', 'lantern', 'tariff', 'roster', 'freight'];
const sentence = fc
  .tuple(
    fc.constantFrom('Decided:', 'Well,', 'By the way,', 'I read that'),
    fc.constantFrom(...SUBJECTS),
    fc.constantFrom('listens on', 'waits for', 'never touches', 'belongs to'),
    fc.constantFrom(...SUBJECTS),
    fc.integer({ min: 1000, max: 1020 }),
  )
  .map((parts) => `${parts.join(' ')}.`);
const message = fc.array(sentence, { minLength: 1, maxLength: 3 }).map((sentences) => sentences.join(' '));
const messages = fc.array(message, { minLength: 24, maxLength: 60 });
const question = fc.uniqueArray(fc.constantFrom(...SUBJECTS, '1003', '1007', 'zebra'), { minLength: 1, maxLength: 5 });

/** Filler without answers, long enough that compression saves tokens. */
const LISTING = 'A loop goes over the rows and turns each into an object, and the objects are gathered. '.repeat(8);

const has = (text: string, word: string): boolean => text.toLowerCase().includes(word);

describe('results of *Find Forgotten Information*', () => {
  it('match the preview of the next request, row by row', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(messages, question, fc.boolean(), async (messages, words, isEdited) => {
        await using harness = await Harness.open();
        const conversation = await harness.compressed(2 * messages.length, (n) =>
          n % 2 === 0 ? messages[n / 2]! : LISTING,
        );
        for (const { node } of isEdited ? conversation.state.frontier : [])
          await editSummary(conversation.journal, conversation.counter, node.id, 'detailed', 'About a listing.');
        const { state } = conversation;
        const search = new SessionSearch(() => state, harness.clock);
        await search.updateIndex();
        const query = words.join(' ');
        const { context } = await conversation.previewSend({ text: '' });
        const verbatim = context.messages.map((one) => messageText(one));
        const sent = [...context.system, ...verbatim].join('\n');
        const found = await search.search(query, 8);
        for (const { text, status } of contextStatuses(state, query, found, conversation.context())) {
          seen.add(status.kind);
          const held = words.filter((word) => has(text, word));
          const tells = (part: string): boolean => held.filter((word) => has(part, word)).length >= 0.6 * held.length;
          const sentences = text.split(/\n|(?<=\.) /).filter(tells);
          switch (status.kind) {
            case 'verbatim':
              assert.ok(
                verbatim.some((one) => one.includes(text)) || sentences.some((one) => sent.includes(one)),
                `${query}: ${text} | ${sentences.join('|')}`,
              );
              break;
            case 'ledger':
              assert.ok(sent.includes(status.event.quote) && messages.some((one) => one.includes(status.event.quote)));
              break;
            case 'summary':
              assert.ok(
                sent.includes(nodeText(status.node, status.level)) && tells(nodeText(status.node, status.level)),
              );
              break;
            case 'archived':
              assert.deepEqual(
                sentences.filter((one) => sent.includes(one)),
                [],
                `${query}: ${text}`,
              );
              break;
            case 'system':
              assert.fail('no chat was imported');
            case 'off_branch':
              assert.fail('nothing was deleted');
          }
        }
      }),
      runs(25),
    );
    assert.deepEqual([...seen].sort(), ['archived', 'ledger', 'summary', 'verbatim']);
  });
});
