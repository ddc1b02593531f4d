import path from 'node:path';
import type { Source } from '../app/library/source.ts';
import { CodexImporter } from '../core/transcript/codex.ts';
import { filesBelow, sourceOf } from './files.ts';
import { toolFolder, type Home } from './home.ts';
import { readRecords } from './lines.ts';

/** `~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`, in the folder itself before 2025-08, `archived_sessions` later. */
export function codex(home: Home): Source {
  const root = toolFolder(home, 'CODEX_HOME', '.codex');
  return sourceOf(
    'codex',
    async (finder) => {
      for (const folder of ['sessions', 'archived_sessions'].map((name) => path.join(root, name))) {
        await finder.in(folder, async () => {
          for (const file of await filesBelow(folder, (name) => /^rollout-.*\.jsonl$/.test(name), 3)) {
            const [id] = /[0-9a-f]{8}-[0-9a-f-]{27}(?=\.jsonl$)/.exec(file) ?? [];
            await finder.add(file, id === undefined ? {} : { id });
          }
        });
      }
    },
    (file, sink, from) => readRecords(file, sink, (to, model) => new CodexImporter(to, model), from),
  );
}
