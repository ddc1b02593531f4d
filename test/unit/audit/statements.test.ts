import assert from 'node:assert/strict';
import { checkStatements } from '../../../src/core/audit/statements.ts';
import type { Role } from '../../../src/core/model/message.ts';

const conversation = (
  [
    ['user', 'We deploy to the staging cluster on port 8443. Never restart the worker while a job is running.'],
    ['assistant', 'Understood. I added a retry with a limit of 5 attempts to src/http/client.ts.'],
    ['user', 'Use Postgres for the audit log. Marta Silva will review the migration on Tuesday.'],
    ['assistant', 'I suggest SQLite for the local cache, since it needs no server.'],
    ['tool', 'Tests: 41 passed, 2 failed\nTypeError: store.flush is not a function'],
  ] as const satisfies readonly (readonly [Role, string])[]
).map(([role, text]) => ({ role, content: [{ type: 'text' as const, text }] }));

function check(statement: string): { supported: boolean; reason: string; messages: number[] } {
  const [first] = checkStatements(statement, conversation).statements;
  assert.ok(first);
  return { supported: first.supported, reason: first.reason, messages: first.sources.map(({ message }) => message) };
}

describe('checking the statements of a summary', () => {
  for (const statement of [
    'They deploy to the staging cluster on port 8443.',
    'A retry with a limit of 5 attempts was added to src/http/client.ts.',
    'Postgres is used for the audit log.',
    'The user decided to use Postgres for the audit log.',
    'Marta Silva reviews the migration on Tuesday.',
    '2 tests failed with "TypeError: store.flush is not a function".',
    'The worker must never be restarted while a job is running.',
  ]) {
    it(`supports: ${statement}`, () => {
      assert.deepEqual([check(statement).supported, check(statement).reason], [true, 'supported']);
    });
  }

  for (const [statement, reason] of [
    ['They deploy to the staging cluster on port 9443.', 'number_differs'],
    ['A retry was added to src/http/server.ts.', 'name_differs'],
    ['The migration will be reviewed on Tuesday by Carlos Silva.', 'name_differs'],
    ['Restart the worker while a job is running.', 'negation_differs'],
    ['The user suggested SQLite for the local cache.', 'speaker_differs'],
    ['The build pipeline moved over to Jenkins last summer.', 'no_source'],
    ['All documentation has been translated and published.', 'no_source'],
    ['The tool said "everything went perfectly fine today".', 'unknown_quote'],
  ] as const) {
    it(`does not support (${reason}): ${statement}`, () => {
      assert.deepEqual([check(statement).supported, check(statement).reason], [false, reason]);
    });
  }

  it('names the message a statement comes from, with the passage', () => {
    const [first] = checkStatements('Postgres is used for the audit log.', conversation).statements;
    const [source] = first?.sources ?? [];
    assert.equal(source?.message, 2);
    assert.equal(conversation[2]!.content[0]!.text.slice(source.start, source.end), 'Use Postgres for the audit log.');
  });

  it('gives each statement with its place in the summary', () => {
    const summary =
      '# Summary\n\n- Postgres is used for the audit log.\n- Marta Silva reviews the migration. Port is 8443.';
    const { statements } = checkStatements(summary, conversation);
    for (const { text, start, end } of statements) assert.equal(summary.slice(start, end), text);
    assert.deepEqual(
      statements.map(({ text }) => text),
      ['Summary', 'Postgres is used for the audit log.', 'Marta Silva reviews the migration.', 'Port is 8443.'],
    );
  });

  it('has nothing to say about an empty summary', () => {
    assert.deepEqual(checkStatements('', conversation).statements, []);
  });
});
