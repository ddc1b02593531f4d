import path from 'node:path';
import type { Source } from '../app/library/source.ts';
import { QwenImporter } from '../core/transcript/qwen.ts';
import { ofRecords } from '../core/transcript/recognize.ts';
import { endsIn, filesBelow, Finder, folders } from './files.ts';
import { readGemini } from './gemini.ts';
import { toolFolder, type Home } from './home.ts';
import { readLines } from './lines.ts';

/** `~/.qwen/projects/<folder>/chats/<id>.jsonl`; before 2026 Gemini CLI's documents below `~/.qwen/tmp`. */
export function qwen(home: Home): Source {
  const root = toolFolder(home, 'QWEN_HOME', '.qwen');
  return {
    tool: 'qwen',
    async find() {
      const finder = new Finder('qwen');
      for (const [folder, ending] of [
        ['projects', '.jsonl'],
        ['tmp', '.json'],
      ] as const) {
        await finder.in(path.join(root, folder), async () => {
          for (const project of await folders(path.join(root, folder))) {
            for (const file of await filesBelow(path.join(project, 'chats'), endsIn(ending))) {
              await finder.add(file, { id: path.basename(file, ending) });
            }
          }
        });
      }
      return finder.found();
    },
    read(file, sink, from) {
      if (!file.path.endsWith('.jsonl')) return readGemini(file.path, 'Qwen Code', sink);
      return readLines(file, sink, (to) => ofRecords(new QwenImporter(to), to), from);
    },
  };
}
