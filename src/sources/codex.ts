import path from 'node:path';
import type { Source } from '../app/library/source.ts';
import { CodexImporter } from '../core/transcript/codex.ts';
import { createSource, toolFolder, type Home } from './files.ts';
import { readRecords } from './read-records.ts';

/**
 * `~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`, before August 2025 without subfolders. Archived sessions are in
 * `archived_sessions`.
 */
export function codex(home: Home): Source {
  const root = toolFolder(home, 'CODEX_HOME', '.codex');
  return createSource(
    'codex',
    async (finder) => {
      for (const folder of ['sessions', 'archived_sessions']) {
        const files = await finder.findFiles(path.join(root, folder), (name) => /^rollout-.*\.jsonl$/.test(name), 3);
        for (const file of files) {
          const [id] = /[0-9a-f]{8}-[0-9a-f-]{27}(?=\.jsonl$)/.exec(file) ?? [];
          await finder.addFile(file, id === undefined ? {} : { id });
        }
      }
    },
    (file, sink, from) => readRecords(file, sink, (to, model) => new CodexImporter(to, model), from),
  );
}
