import path from 'node:path';
import type { Source } from '../app/library/source.ts';
import { CodexImporter } from '../core/transcript/codex.ts';
import { ofRecords } from '../core/transcript/recognize.ts';
import { filesBelow, Finder } from './files.ts';
import { toolFolder, type Home } from './home.ts';
import { readLines } from './lines.ts';

/** `~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`, in the folder itself before 2025-08, `archived_sessions` later. */
export function codex(home: Home): Source {
  const root = toolFolder(home, 'CODEX_HOME', '.codex');
  return {
    tool: 'codex',
    async find() {
      const finder = new Finder('codex');
      for (const folder of ['sessions', 'archived_sessions'].map((name) => path.join(root, name))) {
        await finder.in(folder, async () => {
          for (const file of await filesBelow(folder, (name) => /^rollout-.*\.jsonl$/.test(name), 3)) {
            const [id] = /[0-9a-f]{8}-[0-9a-f-]{27}(?=\.jsonl$)/.exec(file) ?? [path.basename(file, '.jsonl')];
            await finder.add(file, { id });
          }
        });
      }
      return finder.found();
    },
    read(file, sink, from) {
      return readLines(file, sink, (to, model) => ofRecords(new CodexImporter(to, model), to), from);
    },
  };
}
