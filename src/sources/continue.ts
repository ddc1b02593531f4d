import path from 'node:path';
import type { Source } from '../app/library/source.ts';
import { importContinueSession, isContinueSession } from '../core/transcript/continue-session.ts';
import { readJson, sourceOf, unknownFormat } from './files.ts';
import { toolFolder, type Home } from './home.ts';

/** `~/.continue/sessions/<id>.json`; `sessions.json` is their index. */
export function continueSessions(home: Home): Source {
  const root = path.join(toolFolder(home, 'CONTINUE_GLOBAL_DIR', '.continue'), 'sessions');
  return sourceOf(
    'continue',
    (finder) => finder.addAll(root, (name) => name.endsWith('.json') && name !== 'sessions.json'),
    async (file, sink) => {
      const session = await readJson(file.path);
      if (!isContinueSession(session)) throw unknownFormat('Continue');
      importContinueSession(session, sink);
    },
  );
}
