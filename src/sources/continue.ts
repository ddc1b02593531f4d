import path from 'node:path';
import type { Source } from '../app/library/source.ts';
import { importContinueSession, isContinueSession } from '../core/transcript/continue-session.ts';
import { filesBelow, Finder, readJson, unknownFormat } from './files.ts';
import { toolFolder, type Home } from './home.ts';

/** `~/.continue/sessions/<id>.json`; `sessions.json` is their index. */
export function continueSessions(home: Home): Source {
  const root = path.join(toolFolder(home, 'CONTINUE_GLOBAL_DIR', '.continue'), 'sessions');
  return {
    tool: 'continue',
    async find() {
      const finder = new Finder('continue');
      await finder.in(root, async () => {
        for (const file of await filesBelow(root, (name) => name.endsWith('.json') && name !== 'sessions.json')) {
          await finder.add(file, { id: path.basename(file, '.json') });
        }
      });
      return finder.found();
    },
    async read(file, sink) {
      const session = await readJson(file.path);
      if (!isContinueSession(session)) throw unknownFormat('Continue');
      importContinueSession(session, sink);
      return { resumed: false };
    },
  };
}
