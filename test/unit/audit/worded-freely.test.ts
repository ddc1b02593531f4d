import assert from 'node:assert/strict';
import { checkStatements } from '../../../src/core/audit/statements.ts';
import type { StatementReason } from '../../../src/core/model/statement.ts';
import type { Role } from '../../../src/core/model/message.ts';

const said = (talk: readonly (readonly [Role, string])[]) =>
  talk.map(([role, text]) => ({ role, content: [{ type: 'text' as const, text }] }));

const session = said([
  ['user', 'Cap the upload size in server/http/upload.ts. Somebody sent us a 4 GB file yesterday.'],
  ['assistant', 'I set the limit to two hundred megabytes. Chunks that time out are never sent again.'],
  ['user', 'Good. The thumbnails come from a separate queue, Imke looks after that one. Its batches hold 64 pictures.'],
  ['assistant', 'I renamed the setting from maxBody to uploadLimit. The queue is fast enough now, 18 tests pass.'],
]);

const meeting = said([
  ['user', 'Project Manager: We want to present the prototype on Thursday.'],
  ['user', 'Marketing: People told us in the survey that they find the case ugly.'],
  ['user', 'Project Manager: What about the price of the display?'],
  ['user', 'Industrial Designer: The display costs three Euros, the chip five.'],
  ['user', 'Industrial Designer: A flat case would be cheaper.'],
  ['user', 'Marketing: Young customers asked for speech recognition.'],
]);

const reasonOf = (statement: string, messages = session): StatementReason =>
  checkStatements(statement, messages).statements[0]!.reason;

describe('statements that are worded freely', () => {
  for (const statement of [
    'The limit is 200 megabytes.',
    'The upload size is to be capped in `http/upload.ts`.',
    'A file of 4 GB had been uploaded the day before.',
    'Timed-out chunks are not resent.',
    '`maxBody` became `uploadLimit`.',
    'Imke is responsible for the thumbnail queue.',
  ]) {
    it(`are supported where their anchors stand together: ${statement}`, () => {
      assert.equal(reasonOf(statement), 'supported');
    });
  }

  for (const [statement, reason, why] of [
    ['Uploads are limited to 300 MB.', 'number_differs', 'a number stands nowhere'],
    ['The thumbnail queue takes batches of 4 pictures.', 'number_differs', 'a number stands elsewhere'],
    ['The limit is set in `server/queue/upload.ts`.', 'name_differs', 'a path stands nowhere'],
    ['The setting was renamed from `uploadLimit` to `maxBody`.', 'name_differs', 'a change goes the other way'],
    ['The queue is not fast enough now.', 'negation_differs', 'a denial was added'],
    ['Chunks that time out are sent again.', 'negation_differs', 'a denial was left out'],
    ['The queue is slow.', 'negation_differs', 'a word was turned into its opposite'],
    ['The assistant wanted the upload size capped.', 'speaker_differs', 'the other asked for it'],
  ] as const) {
    it(`are marked where ${why}: ${statement}`, () => {
      assert.equal(reasonOf(statement), reason);
    });
  }

  it('are held against the speakers that a meeting names', () => {
    assert.equal(reasonOf('Marketing reported that people find the case ugly.', meeting), 'supported');
    assert.equal(reasonOf('Industrial Designer reported that people find the case ugly.', meeting), 'speaker_differs');
  });
});
