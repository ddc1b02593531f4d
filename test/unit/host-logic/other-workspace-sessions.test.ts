import assert from 'node:assert/strict';
import type { SessionListEntry } from '../../../src/app/ports.ts';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { SessionStore } from '../../../src/app/ports.ts';
import { sessionId } from '../../../src/core/model/ids.ts';
import { locateOtherSessions, sessionsOfOtherWorkspaces } from '../../../src/host/sessions/other-workspace-sessions.ts';
import type * as SessionCommandsModule from '../../../src/host/sessions/session-commands.ts';
import { hostIn } from '../../support/fake-editor.ts';
import { inStore, messageAdded } from '../storage/test-store.ts';

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

describe('recovering the sessions of a moved folder', () => {
  const OLD = 'folder:file:///old/place/grove';

  /** Recovers sessions with these titles. The file of each `lost` one is deleted while the user chooses the folder. */
  async function recover(store: SessionStore, folder: string, titles: readonly string[], lost: readonly string[]) {
    const shown: string[] = [];
    const offered: string[] = [];
    let undo = false;
    for (const title of titles) {
      const journal = await store.create(title, OLD);
      await journal.append(messageAdded(0));
      await journal.close();
    }
    const window = {
      showQuickPick: async ([item]: readonly { label: string; description: string }[]) => {
        offered.push(`${item?.label}: ${item?.description}`);
        for (const { id, title } of await store.list())
          if (lost.includes(title)) await rm(path.join(folder, `${id}.jsonl`));
        return item;
      },
      showInformationMessage: (text: string, action: string) => {
        shown.push(text);
        return Promise.resolve(undo ? action : undefined);
      },
    };
    const load = hostIn({ window });
    const { reattachSessions } = await load<typeof SessionCommandsModule>('sessions/session-commands.ts');
    const sessions = { current: undefined, listChanged: () => undefined };
    const describe = (error: unknown) => ({ text: error instanceof Error ? error.message : '' });
    const run = (undone: boolean): Promise<void> => {
      undo = undone;
      return reattachSessions({ store, sessions, workspace: HERE, describe } as never);
    };
    const here = async () =>
      (await store.list()).flatMap(({ title, workspace }) => (workspace === HERE ? title : [])).sort();
    return { run, here, shown, offered };
  }

  it('goes on after one that cannot be opened, and says which', () =>
    inStore(async (store, folder) => {
      const { run, here, shown, offered } = await recover(store, folder, ['One', 'Two', 'Three'], ['Two']);
      await run(false);
      assert.deepEqual(offered, ['grove: 3 sessions']);
      assert.deepEqual(await here(), ['One', 'Three']);
      assert.match(shown.join(), /^Moved 2 sessions from grove to this workspace\. Not moved: Two\. Couldn’t access /);
    }));

  it('can be undone if one cannot be opened', () =>
    inStore(async (store, folder) => {
      const { run, here } = await recover(store, folder, ['One', 'Two', 'Three'], ['Two']);
      await run(true);
      assert.deepEqual(await here(), []);
    }));

  it('fails if none can be opened', () =>
    inStore(async (store, folder) => {
      const { run, shown } = await recover(store, folder, ['One'], ['One']);
      await assert.rejects(run(false), { reason: 'missing' });
      assert.deepEqual(shown, []);
    }));
});
