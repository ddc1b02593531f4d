import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { InMemorySession } from '../../../src/app/in-memory-session.ts';
import { SessionSearch } from '../../../src/app/session-search.ts';
import { messageId } from '../../../src/core/model/ids.ts';
import { messageText } from '../../../src/core/model/message.ts';
import { NEVER_YIELDS } from '../../../src/core/pace/yielder.ts';
import { POLICIES } from '../../../src/core/policy/policy.ts';
import type { SessionState } from '../../../src/core/state/session-state.ts';
import { loadEncoding } from '../../../src/core/tokens/token-counter.ts';
import { contentOf } from '../../../src/core/transcript/transcript-message.ts';
import { readTranscript } from '../../support/read-transcript.ts';

/** Questions that a participant could ask, each with words of the message that answers it. */
const QUESTIONS: readonly (readonly [question: string, answer: string])[] = [
  ['Which database did we choose?', 'Decided: node:sqlite'],
  ['Welche Datenbank nehmen wir?', 'Decided: node:sqlite'],
  ['why not Postgres?', 'Change of plan: no Postgres'],
  ['When does the week start?', 'Monday first, this is Portugal'],
  ['quel jour commence la semaine ?', 'Monday first, this is Portugal'],
  ['what is the maximum length of a booking?', 'A maximum length. Eight hours'],
  ['which rules about dependencies did I set?', 'A few ground rules from my side'],
  ['which port does it listen on?', 'Port 3000'],
  ['which time zone do we store?', 'store UTC only'],
  ['how do refunds work?', 'refund rule 48 h'],
  ['what did we say about the memory of the machine?', 'The machine has 903 MB'],
  ['what is still open?', 'What is still open'],
];
/** Number of results that the local provider quotes. The answer must be among them. */
const TOP = 5;

/** A search over the sample session, in which all messages but the recent ones are compressed if `isCompressed`. */
async function sampleSearch(isCompressed: boolean): Promise<readonly [SessionState, SessionSearch]> {
  const file = new URL('../../fixtures/demo-workspace/sample-session.jsonl', import.meta.url);
  const { transcript } = readTranscript(readFileSync(file, 'utf8'));
  const counter = await loadEncoding('o200k_base');
  const settings = { policy: POLICIES.balanced, budget: 124_000, preset: 'developer', model: undefined } as const;
  const session = new InMemorySession({ ...settings, counter });
  for (const [n, one] of transcript.entries())
    session.add({ id: messageId(`m${n}`), role: one.role, content: contentOf(one) });
  if (isCompressed) assert.equal((await session.compress()).kind, 'committed');
  const { state } = session;
  const search = new SessionSearch(() => state, { now: () => 0, id: () => '', yielder: NEVER_YIELDS });
  await search.updateIndex();
  return [state, search];
}

for (const isCompressed of [false, true])
  describe(`search for an obvious question in a session of 443 messages${isCompressed ? ', compressed' : ''}`, () => {
    let state: SessionState;
    let search: SessionSearch;
    before(async () => {
      [state, search] = await sampleSearch(isCompressed);
    });

    for (const [question, answer] of QUESTIONS) {
      it(`finds the answer to “${question}” among the first ${TOP} results`, async () => {
        const found = await search.search(question, TOP);
        const texts = found.map(({ message }) => messageText(state.messages.get(message) ?? { content: [] }));
        assert.ok(
          texts.some((text) => text.includes(answer)),
          texts.map((text) => text.slice(0, 100)).join('\n'),
        );
      });
    }

    if (isCompressed)
      it('ranks a decision that stands first, above those that it replaced', async () => {
        const [found] = await search.search('Which database did we choose?', 1);
        assert.equal(found?.text, 'Decided: node:sqlite, so we require Node 24.');
      });
  });
