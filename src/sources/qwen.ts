import path from 'node:path';
import type { Source } from '../app/library/source.ts';
import { QwenImporter } from '../core/transcript/qwen.ts';
import { endsIn, folders, sourceOf } from './files.ts';
import { readGemini } from './gemini.ts';
import { toolFolder, type Home } from './home.ts';
import { readRecords } from './lines.ts';

/** `~/.qwen/projects/<folder>/chats/<id>.jsonl`; before 2026 Gemini CLI's documents below `~/.qwen/tmp`. */
export function qwen(home: Home): Source {
  const root = toolFolder(home, 'QWEN_HOME', '.qwen');
  return sourceOf(
    'qwen',
    async (finder) => {
      for (const [folder, ending] of [
        ['projects', '.jsonl'],
        ['tmp', '.json'],
      ] as const) {
        await finder.in(path.join(root, folder), async () => {
          for (const project of await folders(path.join(root, folder))) {
            await finder.addAll(path.join(project, 'chats'), endsIn(ending));
          }
        });
      }
    },
    async (file, sink, from) => {
      if (!file.path.endsWith('.jsonl')) return readGemini(file.path, 'Qwen Code', sink);
      return readRecords(file, sink, (to) => new QwenImporter(to), from);
    },
  );
}
