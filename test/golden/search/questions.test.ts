import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { SessionSearch } from '../../../src/app/session-search.ts';
import type { SessionEvent } from '../../../src/core/journal/schema.ts';
import { messageId } from '../../../src/core/model/ids.ts';
import { NEVER_YIELDS } from '../../../src/core/pace/yielder.ts';
import { SessionState } from '../../../src/core/state/session-state.ts';
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
/** The answer must be among this many results, which the local provider quotes. */
const TOP = 5;

async function sampleSearch(): Promise<SessionSearch> {
  const file = new URL('../../fixtures/demo-workspace/sample-session.jsonl', import.meta.url);
  const { transcript } = readTranscript(readFileSync(file, 'utf8'));
  const events = transcript.map((one, n): { at: number; body: SessionEvent } => {
    const parent = n === 0 ? null : messageId(`m${n - 1}`);
    const message = { id: messageId(`m${n}`), parent, role: one.role, content: contentOf(one), at: one.at ?? n };
    return { at: n, body: { type: 'message_added', message } };
  });
  const state = SessionState.fold(events);
  const search = new SessionSearch(() => state, { now: () => 0, id: () => '', yielder: NEVER_YIELDS });
  await search.updateIndex();
  return search;
}

describe('search for an obvious question in a session of 443 messages', () => {
  let search: SessionSearch;
  before(async () => {
    search = await sampleSearch();
  });

  for (const [question, answer] of QUESTIONS) {
    it(`finds the answer to “${question}” among the first ${TOP} results`, () => {
      const texts = search.search(question, TOP).map(({ text }) => text);
      assert.ok(
        texts.some((text) => text.includes(answer)),
        texts.map((text) => text.slice(0, 100)).join('\n'),
      );
    });
  }
});
