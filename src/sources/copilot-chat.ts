import path from 'node:path';
import type { Source } from '../app/library/source.ts';
import { CopilotEventsImporter } from '../core/transcript/copilot-events.ts';
import { folderPath } from '../core/transcript/folder-path.ts';
import { isObject } from '../core/transcript/json-value.ts';
import { ofRecords } from '../core/transcript/recognize.ts';
import { importVsCodeChat, isVsCodeChat } from '../core/transcript/vscode-chat.ts';
import { replayVsCodeChatLog } from '../core/transcript/vscode-chat-log.ts';
import {
  endsIn,
  entries,
  filesBelow,
  Finder,
  folders,
  newerFormat,
  readBeside,
  readDocument,
  readJson,
  unknownFormat,
} from './files.ts';
import { editorFolders, type Home } from './home.ts';
import { readLines } from './lines.ts';

/** The version of VS Code's chat sessions that is known. */
const VERSION = 3;

/**
 * VS Code's own chats: `chatSessions/<id>.json`, since 2026 a log of changes in `.jsonl`; and the newest 20 of each
 * workspace with the tools' results, in `GitHub.copilot-chat/transcripts`.
 */
export function copilotChat(home: Home): Source {
  return {
    tool: 'copilot-chat',
    async find() {
      const finder = new Finder('copilot-chat');
      for (const user of editorFolders(home)) {
        await finder.in(user, async () => {
          await addWorkspaces(finder, user);
          const windows = path.join(user, 'globalStorage/emptyWindowChatSessions');
          for (const file of await filesBelow(windows, endsIn('.json', '.jsonl')))
            await finder.add(file, { id: idOf(file) });
        });
      }
      return finder.found();
    },
    async read(file, sink, from) {
      if (path.basename(path.dirname(file.path)) === 'transcripts') {
        return readLines(file, sink, (to, model) => ofRecords(new CopilotEventsImporter(to, model), to), from);
      }
      const isLog = file.path.endsWith('.jsonl');
      const chat = isLog ? replayVsCodeChatLog(await readDocument(file.path)) : await readJson(file.path);
      const version = isObject(chat) ? chat['version'] : undefined;
      if (typeof version === 'number' && version > VERSION) throw newerFormat(version, VERSION);
      if (!isVsCodeChat(chat) && !(isObject(chat) && Array.isArray(chat['requests'])))
        throw unknownFormat('Copilot Chat');
      importVsCodeChat({ ...chat, requests: Array.isArray(chat['requests']) ? chat['requests'] : [] }, sink);
      return { resumed: false };
    },
  };
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
    for (const file of sessions) await finder.add(file, { id: idOf(file), workspace });
  }
}

function idOf(file: string): string {
  return path.basename(file).replace(/\.jsonl?$/, '');
}
