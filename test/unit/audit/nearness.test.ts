import assert from 'node:assert/strict';
import { checkStatements, checkStatementsSteps } from '../../../src/core/audit/statements.ts';
import type { StatementReason } from '../../../src/core/model/statement.ts';
import type { Role } from '../../../src/core/model/message.ts';

const listing = Array.from({ length: 9 }, (_, line) => `const row${line} = rows[${line}] ?? fallback;`).join('\n');
const session = (
  [
    ['user', 'Mails are looked after by the team of Imke.'],
    ['user', 'I had looked at inotify to watch each file in those folders first.'],
    ['tool', 'Commit 165910d fix: Print the parameters of the request call'],
    ['assistant', 'The estimate is 4-6 hours, 8 at the most.'],
    ['user', 'Entries of the cache should live for 3600 seconds.'],
    ['assistant', 'Noted. There are some open questions about colours.'],
    ['user', 'Leave the colours alone for the moment, please.'],
    ['assistant', 'Fine. The gateway writes access logs with request ids for every customer of the shop.'],
    ['assistant', 'Nothing else was found in that folder.'],
    ['assistant', 'File watching is done with fsnotify for all folders.'],
    [
      'tool',
      `src/queue/worker.ts\n${listing}\nexport function drainQueue(batch) {\n${listing}\nexport function pauseQueue() {`,
    ],
  ] as const satisfies readonly (readonly [Role, string])[]
).map(([role, text]) => ({ role, content: [{ type: 'text' as const, text }] }));

const reasonOf = (statement: string): StatementReason => checkStatements(statement, session).statements[0]!.reason;

describe('what stands near what in the source of a statement', () => {
  for (const [statement, why] of [
    ['Commit 165910d prints the parameters of the request call.', 'a hash stands as it is'],
    ['The estimate is 4-6 hours.', 'a range of numbers stands as it is'],
    [
      'The gateway writes access logs for every customer of the shop, the team of Imke.',
      'its own neighbours are there',
    ],
    ['`src/queue/worker.ts` has the functions `drainQueue` and `pauseQueue`.', 'a path heads the listing'],
  ] as const) {
    it(`supports it where ${why}: ${statement}`, () => {
      assert.equal(reasonOf(statement), 'supported');
    });
  }

  for (const [statement, reason, why] of [
    ['Commit 165901d prints the parameters of the request call.', 'name_differs', 'a hash has two digits exchanged'],
    ['The estimate is 4-8 hours.', 'number_differs', 'both ends of a range stand, but not together'],
    ['Entries of the cache live for 3590 seconds.', 'number_differs', 'an amount is near another in the same unit'],
    ['File watching is done with `inotify` for all folders.', 'name_differs', 'another name has its neighbours'],
  ] as const) {
    it(`does not support it where ${why}: ${statement}`, () => {
      assert.equal(reasonOf(statement), reason);
    });
  }

  it('is looked for in short steps, more of them in more messages', () => {
    const summary = 'The estimate is 4-6 hours.\nEntries of the cache live for 3600 seconds.';
    const long = Array.from({ length: 20 }, () => session).flat();
    const chars = long.reduce((sum, { content }) => sum + content[0]!.text.length, 0);
    const inShort = stepsOf(summary, session);
    assert.ok(inShort > 12, `${inShort} steps for two statements`);
    assert.ok(stepsOf(summary, long) - inShort > chars / 7_000, 'a step reads more than 7,000 characters');
  });
});

function stepsOf(summary: string, messages: typeof session): number {
  const steps = checkStatementsSteps(summary, messages);
  let taken = 1;
  while (steps.next().done !== true) taken++;
  return taken;
}
