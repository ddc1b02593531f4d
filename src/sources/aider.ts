import path from 'node:path';
import type { Source } from '../app/library/source.ts';
import { AiderImporter, looksLikeAider } from '../core/transcript/aider.ts';
import { entries, sourceOf, isCode, readDocument, unknownFormat, type Finder } from './files.ts';
import type { Home } from './home.ts';

const NAME = '.aider.chat.history.md';
/** Projects lie this deep below the home at most: `~/code/<owner>/<project>`. */
const DEPTH = 3;
/** Folders that hold no projects and are large. */
const PASSED_OVER = new Set(['node_modules', 'Library', 'AppData', 'go', 'snap']);

/** aider writes `.aider.chat.history.md` into each project's folder: one file, all its runs. */
export function aider(home: Home): Source {
  return sourceOf(
    'aider',
    async (finder) => {
      const moved = home.env['AIDER_CHAT_HISTORY_FILE'];
      if (moved !== undefined) await finder.add(moved, { id: moved });
      await look(finder, home.folder, DEPTH);
    },
    async (file, sink) => {
      const text = await readDocument(file.path);
      if (!looksLikeAider(text.slice(0, 1 << 16))) throw unknownFormat('aider');
      const importer = new AiderImporter(sink);
      for (const line of text.split('\n')) importer.line(line.replace(/\r$/, ''));
      importer.end();
    },
  );
}

async function look(finder: Finder, folder: string, depth: number): Promise<void> {
  const listed = await entries(folder).catch((error: unknown) => {
    // A home has folders that are not for us; there is nothing to tell about them.
    if (!isCode(error, 'EACCES', 'EPERM')) finder.refuse(folder, error);
    return [];
  });
  for (const one of listed) {
    const full = path.join(folder, one.name);
    if (one.isFile() && one.name === NAME)
      await finder.add(full, { id: full, workspace: folder, title: path.basename(folder) });
    else if (one.isDirectory() && depth > 0 && !one.name.startsWith('.') && !PASSED_OVER.has(one.name)) {
      await look(finder, full, depth - 1);
    }
  }
}
