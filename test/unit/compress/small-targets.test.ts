import assert from 'node:assert/strict';
import { compressPreserveEvents, summarizeRecursive, type LibraryMessage } from '../../../src/app/public-api.ts';
import { counter } from './summarize-fixtures.ts';

/** A repair of a bicycle: 30 short messages, 400 tokens with framing. */
const REPAIR: readonly LibraryMessage[] = [
  'Hi there! | Hello, Spoke Street Bikes. What can I do for you? | My rear wheel is bent.',
  'Sorry to hear that. Which bike is it? | A Koga Miyata, the blue one. | And your name? | Femke Oosterhuis.',
  'Thanks, Femke. When can you bring it in? | On Wednesday at 9:15. | Wednesday at 9:15 is fine. | What will it cost?',
  'A new rim is 85 euros, labour included. | Fine. I must not pay more than 100 euros.',
  'Understood, 100 euros is the limit. | Great. | Should we look at the brakes as well? | No, leave the brakes alone.',
  'All right. | Please use a black rim, not a silver one. | A black rim, noted. | My number is 06 4471 2093. | Got it.',
  'Never call before ten, I work nights. | We will call after ten. | Is it ready the same day?',
  'It is ready on Thursday at 17:00. | Then I will pick it up on Thursday. | The order number is SP-5518.',
  'Thanks a lot! | See you on Wednesday!',
]
  .flatMap((said) => said.split(' | '))
  .map((content, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content }));

const FACTS = 'Koga, Femke, 9:15, 85 euros, 100 euros, brakes alone, black rim, 4471, before ten, 5518'.split(', ');
const factsIn = (text: string): number => FACTS.filter((fact) => text.includes(fact)).length;

describe('a short conversation within a small target', () => {
  it('fills the target with a single text, without reserving the tags of a request', async () => {
    for (const target of [60, 100, 150, 200]) {
      const { tokens } = await summarizeRecursive(REPAIR, target, { counter, preset: 'customer' });
      assert.ok(tokens <= target && tokens >= target - 32, `${tokens} of ${target} used`);
    }
  });

  it('contains facts beyond the key events, even if the key events alone take most of the target', async () => {
    for (const target of [150, 200, 250]) {
      const { messages, tokens } = await compressPreserveEvents(REPAIR, target, { counter, preset: 'customer' });
      const text = messages.map(({ content }) => (typeof content === 'string' ? content : '')).join('\n');
      assert.ok(tokens.after <= target && tokens.after >= target * 0.8, `${tokens.after} of ${target} used`);
      assert.ok(factsIn(text) >= target / 40, `${factsIn(text)} facts in ${target} tokens: ${text}`);
    }
  });

  it('keeps a short last response verbatim and calls the summarizer only once', async () => {
    for (const target of [150, 200]) {
      let calls = 0;
      const summarizer = (): Promise<string> => {
        calls++;
        return Promise.resolve('Femke brings in her Koga on Wednesday at 9:15.');
      };
      const { messages, nodes } = await compressPreserveEvents(REPAIR, target, { counter, summarizer });
      assert.deepEqual(messages.slice(-2), REPAIR.slice(-2));
      assert.equal(nodes.length, 1);
      assert.equal(calls, 1);
    }
  });
});
