import path from 'node:path';
import type { Source } from '../app/library/source.ts';
import { CopilotEventsImporter } from '../core/transcript/copilot-events.ts';
import { folderPath } from '../core/transcript/transcript-message.ts';
import { isObject } from '../core/transcript/json-value.ts';
import { importVsCodeChat, isVsCodeChat, replayVsCodeChatLog } from '../core/transcript/vscode-chat.ts';
import {
  endsIn,
  entries,
  filesBelow,
  sourceOf,
  folders,
  newerFormat,
  readBeside,
  readDocument,
  readJson,
  unknownFormat,
  type Finder,
} from './files.ts';
import { editorFolders, type Home } from './home.ts';
import { readRecords } from './lines.ts';

/** The version of VS Code's chat sessions that is known. */
const VERSION = 3;

/**
 * VS Code's own chats: `chatSessions/<id>.json`, since 2026 a log of changes in `.jsonl`; and the newest 20 of each
 * workspace with the tools' results, in `GitHub.copilot-chat/transcripts`.
 */
export function copilotChat(home: Home): Source {
  return sourceOf(
    'copilot-chat',
    async (finder) => {
      for (const user of editorFolders(home)) {
        await finder.in(user, () => addWorkspaces(finder, user));
        await finder.addAll(path.join(user, 'globalStorage/emptyWindowChatSessions'), endsIn('.json', '.jsonl'));
      }
    },
    async (file, sink, from) => {
      if (path.basename(path.dirname(file.path)) === 'transcripts') {
        return readRecords(file, sink, (to, model) => new CopilotEventsImporter(to, model), from);
      }
      const isLog = file.path.endsWith('.jsonl');
      const chat = isLog ? replayVsCodeChatLog(await readDocument(file.path)) : await readJson(file.path);
      const version = isObject(chat) ? chat['version'] : undefined;
      if (typeof version === 'number' && version > VERSION) throw newerFormat(version, VERSION);
      if (!isVsCodeChat(chat) && !(isObject(chat) && Array.isArray(chat['requests'])))
        throw unknownFormat('Copilot Chat');
      importVsCodeChat({ ...chat, requests: Array.isArray(chat['requests']) ? chat['requests'] : [] }, sink);
      return undefined;
    },
  );
}

async function addWorkspaces(finder: Finder, user: string): Promise<void> {
  for (const folder of await folders(path.join(user, 'workspaceStorage'))) {
    const sessions = await filesBelow(path.join(folder, 'chatSessions'), endsIn('.json', '.jsonl'));
    // The extension's folder is written with and without capitals.
    for (const { name } of await entries(folder)) {
      if (name.toLowerCase() !== 'github.copilot-chat') continue;
      sessions.push(...(await filesBelow(path.join(folder, name, 'transcripts'), endsIn('.jsonl'))));
    }
    if (sessions.length === 0) continue;
    const opened = await readBeside(path.join(folder, 'workspace.json'));
    const workspace = folderPath(opened?.['folder'] ?? opened?.['workspace'] ?? opened?.['configuration']);
    for (const file of sessions) await finder.add(file, { workspace });
  }
}
