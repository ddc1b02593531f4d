import assert from 'node:assert/strict';
import type { SessionListEntry } from '../../../src/app/ports.ts';
import { sessionId } from '../../../src/core/model/ids.ts';
import { locateOtherSessions, sessionsOfOtherWorkspaces } from '../../../src/host/sessions/other-workspace-sessions.ts';

const HERE = 'folder:file:///new/place/grove';

const session = (workspace: string, updatedAt: number, more: Partial<SessionListEntry> = {}): SessionListEntry => ({
  id: sessionId(`${workspace}-${updatedAt}`),
  title: '',
  workspace,
  createdAt: 0,
  updatedAt,
  messages: 1,
  bytes: 1,
  archived: false,
  pinned: false,
  deleted: false,
  ...more,
});

describe('sessions of other workspaces', () => {
  const moved = session('folder:file:///old/place/grove', 1);
  const empty = session('empty', 3);
  const other = session('folder:file:///elsewhere/orchard', 2);

  it('begin with those of a folder of the same name, followed by the most recently used', () =>
    assert.deepEqual(sessionsOfOtherWorkspaces([other, session(HERE, 4), empty, moved], HERE), [moved, empty, other]));

  it('don’t include those of which nothing can be read', () =>
    assert.deepEqual(sessionsOfOtherWorkspaces([session('', 5, { isNewer: true })], HERE), []));

  it('are found for a workspace without sessions, as after a folder was opened or moved', () => {
    assert.equal(locateOtherSessions([], HERE), undefined);
    assert.equal(locateOtherSessions([empty, other], HERE), 'other');
    assert.equal(locateOtherSessions([empty, moved], HERE), 'moved');
    const hidden = [session(other.workspace, 5, { deleted: true }), session(moved.workspace, 6, { messages: 0 })];
    assert.equal(locateOtherSessions(hidden, HERE), undefined);
  });
});
