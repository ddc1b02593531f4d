import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Source } from '../app/library/source.ts';
import { importGemini, isGemini } from '../core/transcript/gemini.ts';
import { isObject, tryParse } from '../core/transcript/json-value.ts';
import { filesBelow, sourceOf, folders, isCode, readBeside, readDocument, unknownFormat } from './files.ts';
import { toolFolder, type Home } from './home.ts';

/** `~/.gemini/tmp/<project>/chats/session-*`: a JSON document each until 2025, then JSONL; a subagent's in a folder. */
export function gemini(home: Home): Source {
  const root = path.join(toolFolder(home, 'GEMINI_CLI_HOME', ''), '.gemini');
  return sourceOf(
    'gemini',
    async (finder) => {
      await finder.in(root, async () => {
        const projects = await namedProjects(path.join(root, 'projects.json'));
        for (const project of await folders(path.join(root, 'tmp'))) {
          const workspace =
            (await textBeside(path.join(project, '.project_root'))) ?? projects.get(path.basename(project));
          const files = await filesBelow(path.join(project, 'chats'), (name) => /\.jsonl?$/.test(name), 1);
          for (const file of files) {
            // Sub-agents' files are in a folder named by the session that they work for.
            const parent =
              path.basename(path.dirname(file)) === 'chats' ? undefined : path.basename(path.dirname(file));
            await finder.add(file, { workspace, parent });
          }
        }
      });
    },
    (file, sink) => readGemini(file.path, 'Gemini CLI', sink),
  );
}

/** Reads a session in Gemini CLI's format, which Qwen Code's first versions wrote too. */
export async function readGemini(
  file: string,
  name: string,
  sink: Parameters<Source['read']>[1],
): ReturnType<Source['read']> {
  const text = await readDocument(file);
  const document = tryParse(text);
  if (!isGemini(document ?? tryParse(text.split('\n', 1)[0]!))) throw unknownFormat(name);
  importGemini(text, sink);
  return { resumed: false };
}

async function namedProjects(file: string): Promise<ReadonlyMap<string, string>> {
  const projects = (await readBeside(file))?.['projects'];
  return new Map(Object.entries(isObject(projects) ? projects : {}).map(([folder, id]) => [String(id), folder]));
}

async function textBeside(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, 'utf8')).trim() || undefined;
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}
