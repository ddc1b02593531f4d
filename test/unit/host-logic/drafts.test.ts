import assert from 'node:assert/strict';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { messageId, sessionId } from '../../../src/core/model/ids.ts';
import { Drafts, moveStoredDrafts } from '../../../src/host/chat/drafts.ts';
import { folderForEachTest } from '../../support/per-test.ts';

describe('unsent texts', () => {
  let folder: string;
  let warnings: string[];
  const session = sessionId('s1');
  const message = messageId('m1');
  /** The drafts as another window or the next one reads them. */
  const drafts = () => new Drafts({ folder, warn: (text) => warnings.push(text) });

  folderForEachTest((made) => (folder = made));
  beforeEach(() => {
    warnings = [];
  });

  it('survive a reload right after they were typed, in a file that only the user can read', async () => {
    const before = drafts();
    before.setEdit(session, message, 'My correction');
    before.set(session, 'Why?');
    const after = drafts();
    assert.deepEqual([after.get(session), after.editsOf(session)], ['Why?', { m1: 'My correction' }]);
    assert.equal((await stat(path.join(folder, 's1.draft.json'))).mode & 0o077, 0);
  });

  it('leave no file when they were sent or discarded', async () => {
    const before = drafts();
    before.set(session, 'Why?');
    before.setEdit(session, message, '');
    before.set(session, '');
    assert.deepEqual(drafts().editsOf(session), { m1: '' });
    before.setEdit(session, message, null);
    assert.deepEqual([drafts().editsOf(session), await readdir(folder)], [{}, []]);
    before.set(session, 'And?');
    before.delete(session);
    assert.deepEqual([before.get(session), await readdir(folder)], ['', []]);
  });

  it('are not lost when another window stores others of the same session', () => {
    const [one, other] = [drafts(), drafts()];
    assert.equal(other.get(session), '');
    one.setEdit(session, message, 'My correction');
    other.set(session, 'Why?');
    assert.deepEqual([one.get(session), drafts().editsOf(session)], ['Why?', { m1: 'My correction' }]);
  });

  it('are not replaced by the text in another window’s composer for the same session', () => {
    const [one, other] = [drafts(), drafts()];
    one.set(session, 'Why?');
    other.set(session, 'And how?');
    one.setEdit(session, message, 'My correction');
    assert.deepEqual([one.get(session), other.get(session), drafts().get(session)], ['Why?', 'And how?', 'And how?']);
  });

  const previewState = (stored: unknown) => ({
    get: (key: string) => (key === 'threadkeeper.drafts' ? stored : undefined),
    update: async (_key: string, value: unknown) => {
      stored = value;
      await Promise.resolve();
    },
  });

  it('are taken over once from the state in which a preview stored them, without replacing newer ones', async () => {
    const state = previewState([
      ['s1', 'An old question'],
      ['s2', 'Another one'],
    ]);
    drafts().set(session, 'Why?');
    await moveStoredDrafts(state, drafts());
    const second = sessionId('s2');
    assert.deepEqual([drafts().get(session), drafts().get(second)], ['Why?', 'Another one']);
    drafts().set(second, '');
    await moveStoredDrafts(state, drafts());
    assert.equal(drafts().get(second), '');
  });

  it('stay in the state in which a preview stored them if they cannot be stored', async () => {
    const state = previewState([['s1', 'An old question']]);
    await rm(folder, { recursive: true });
    await moveStoredDrafts(state, drafts());
    await mkdir(folder);
    await moveStoredDrafts(state, drafts());
    assert.equal(drafts().get(session), 'An old question');
    assert.equal(state.get('threadkeeper.drafts'), undefined);
  });

  it('are stored later if they cannot be stored at first', async () => {
    const before = drafts();
    await rm(folder, { recursive: true });
    before.set(session, 'Why?');
    before.setEdit(session, message, 'My correction');
    await mkdir(folder);
    before.retry();
    const after = drafts();
    assert.deepEqual([after.get(session), after.editsOf(session)], ['Why?', { m1: 'My correction' }]);
  });

  it('stay until the window is closed if they cannot be stored', async () => {
    const before = drafts();
    await rm(folder, { recursive: true });
    before.set(session, 'Why?');
    assert.equal(before.get(session), 'Why?');
    assert.match(warnings.join(), /draft could not be stored/);
    const outside = sessionId('../s1');
    before.set(outside, 'Where?');
    assert.deepEqual([before.get(outside), warnings.length], ['Where?', 1]);
  });
});
