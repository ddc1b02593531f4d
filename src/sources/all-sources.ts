import os from 'node:os';
import path from 'node:path';
import type { Source } from '../app/library/source.ts';
import { AiderImporter, looksLikeAider } from '../core/transcript/aider.ts';
import { ClaudeCodeImporter } from '../core/transcript/claude-code.ts';
import { importContinueSession, isContinueSession } from '../core/transcript/continue-session.ts';
import { CopilotEventsImporter } from '../core/transcript/copilot-events.ts';
import { importGemini, isGemini } from '../core/transcript/gemini.ts';
import { isList, textAt, tryParse } from '../core/text/json-value.ts';
import { qwenImporter } from '../core/transcript/qwen.ts';
import { readRoleContent } from '../core/transcript/content-parts.ts';
import {
  checkVersion,
  folderPath,
  parseTimestamp,
  type TranscriptSink,
} from '../core/transcript/transcript-message.ts';
import { importVsCodeChat, isVsCodeChat, replayVsCodeChatLog } from '../core/transcript/vscode-chat.ts';
import { clineFamily } from './cline-family.ts';
import { codex } from './codex.ts';
import { cursor } from './cursor.ts';
import { Databases } from './sqlite-databases.ts';
import { editorFolders, toolFolder, type Home } from './home-folders.ts';
import { fieldsOf, readDocument, readJson, readOptionalFields, readOptionalText, unknownFormat } from './read-files.ts';
import { createSource, hasExtension, readableEntries, type Finder } from './session-finder.ts';
import { goose } from './goose.ts';
import { readRecords } from './read-records.ts';
import { opencode } from './opencode.ts';
import { zed } from './zed.ts';

/** The sources of all tools in a home folder. The caller closes the databases. */
export function allSources(home: Home, databases: Databases): readonly Source[] {
  return [
    claudeCode(home),
    codex(home, databases),
    copilotChat(home),
    copilotCli(home),
    clineFamily('cline', home, databases),
    clineFamily('roo', home, databases),
    clineFamily('kilo', home, databases),
    gemini(home),
    qwen(home),
    opencode(home, databases),
    goose(home, databases),
    aider(home),
    continueSessions(home),
    cursor(home, databases),
    zed(home, databases),
  ];
}

/** Calls `use` with the sources of all tools. Databases are copied to `scratch`, and closed at the end. */
export async function withSources<Result>(
  home: Home,
  use: (sources: readonly Source[]) => Promise<Result>,
  scratch = os.tmpdir(),
): Promise<Result> {
  const databases = new Databases(scratch);
  try {
    return await use(allSources(home, databases));
  } finally {
    await databases.close();
  }
}

/**
 * `~/.claude/projects/<folder>/<session>.jsonl`, and `agent-<id>.jsonl` of subagents in the same folder or below, since
 * 2026 also in `<session>/subagents/workflows/<run>`, whose `journal.jsonl` only repeats their results.
 */
function claudeCode(home: Home): Source {
  const projects = path.join(toolFolder(home, 'CLAUDE_CONFIG_DIR', '.claude'), 'projects');
  return createSource(
    'claude-code',
    (finder) => finder.addFiles(projects, (name) => name.endsWith('.jsonl') && name !== 'journal.jsonl', 5),
    (file, sink, from) => {
      const isSubagent = path.basename(file.path).startsWith('agent-');
      return readRecords(file, sink, (to, resumed) => new ClaudeCodeImporter(to, isSubagent, resumed), from);
    },
  );
}

const readCopilotEvents: Source['read'] = (file, sink, from) =>
  readRecords(file, sink, (to, resumed) => new CopilotEventsImporter(to, resumed?.model), from);

/**
 * VS Code's own chats: `chatSessions/<id>.json`, since 2026 a log of changes in `.jsonl`. The newest 20 chats of each
 * workspace are also stored with their tool results, in `GitHub.copilot-chat/transcripts`.
 */
function copilotChat(home: Home): Source {
  return createSource(
    'copilot-chat',
    async (finder) => {
      for (const user of editorFolders(home)) {
        for (const folder of await finder.subfolders(path.join(user, 'workspaceStorage')))
          await addWorkspaceSessions(finder, folder);
        await finder.addFiles(
          path.join(user, 'globalStorage/emptyWindowChatSessions'),
          hasExtension('.json', '.jsonl'),
        );
      }
    },
    async (file, sink, from) => {
      if (path.basename(path.dirname(file.path)) === 'transcripts') return readCopilotEvents(file, sink, from);
      const isLog = file.path.endsWith('.jsonl');
      const chat = isLog ? replayVsCodeChatLog(await readDocument(file.path)) : await readJson(file.path);
      const { version, requests } = fieldsOf(chat);
      checkVersion(version, 3);
      if (!isVsCodeChat(chat) && !isList(requests)) throw unknownFormat('Copilot Chat');
      importVsCodeChat({ ...fieldsOf(chat), requests: isList(requests) ? requests : [] }, sink);
      return undefined;
    },
  );
}

async function addWorkspaceSessions(finder: Finder, folder: string): Promise<void> {
  const sessions = await finder.findFiles(path.join(folder, 'chatSessions'), hasExtension('.json', '.jsonl'));
  // The case of the extension's folder differs between versions.
  for (const { name } of await finder.entries(folder)) {
    if (name.toLowerCase() === 'github.copilot-chat')
      sessions.push(...(await finder.findFiles(path.join(folder, name, 'transcripts'), hasExtension('.jsonl'))));
  }
  if (sessions.length === 0) return;
  const workspaceFile = await readOptionalFields(path.join(folder, 'workspace.json'));
  const workspace = folderPath(workspaceFile['folder'] ?? workspaceFile['workspace'] ?? workspaceFile['configuration']);
  for (const file of sessions) await finder.addFile(file, { workspace });
}

/**
 * `~/.copilot/session-state/<id>/events.jsonl`, in early versions `session-state/<id>.jsonl`; before 2026
 * `history-session-state/session_*.json`.
 */
function copilotCli(home: Home): Source {
  const root = toolFolder(home, 'COPILOT_HOME', '.copilot');
  return createSource(
    'copilot-cli',
    async (finder) => {
      for (const folder of await finder.subfolders(path.join(root, 'session-state'))) {
        for (const file of await finder.findFiles(folder, (name) => name === 'events.jsonl')) {
          // Every line is `key: text`, or long text is on the following lines.
          const yaml = await readOptionalText(path.join(folder, 'workspace.yaml'));
          const value = (key: string): string | undefined => {
            const lines = yaml.split('\n').map((line) => line.trimEnd());
            const at = lines.findIndex((line) => line.startsWith(`${key}:`));
            const text = lines[at]?.slice(key.length + 1).trim() ?? '';
            const after = lines.slice(at + 1);
            const end = after.findIndex((line) => !line.startsWith(' '));
            const folded = after.slice(0, end === -1 ? undefined : end).map((line) => line.trim());
            return (/^[>|][-+\d]*$/.test(text) ? folded.join(' ') : text.replace(/^["']|["']$/g, '')) || undefined;
          };
          const [workspace, title] = [value('cwd'), value('name') ?? value('summary')];
          await finder.addFile(file, { id: path.basename(folder), workspace, title });
        }
      }
      await finder.addFiles(path.join(root, 'session-state'), hasExtension('.jsonl'));
      await finder.addFiles(path.join(root, 'history-session-state'), hasExtension('.json'));
    },
    async (file, sink, from) => {
      if (file.path.endsWith('.jsonl')) return readCopilotEvents(file, sink, from);
      const { chatMessages: messages, sessionId, startTime } = fieldsOf(await readJson(file.path));
      if (!isList(messages)) throw unknownFormat('Copilot CLI');
      sink.addFacts({ id: textAt(sessionId), createdAt: parseTimestamp(startTime) });
      for (const message of messages) readRoleContent(message, sink);
      return undefined;
    },
  );
}

/** `~/.gemini/tmp/<project>/chats/session-*`: JSON until 2025, then JSONL. Subagents are in `chats/<parent ID>`. */
function gemini(home: Home): Source {
  const root = path.join(toolFolder(home, 'GEMINI_CLI_HOME', ''), '.gemini');
  return createSource(
    'gemini',
    async (finder) => {
      const { projects } = await readOptionalFields(path.join(root, 'projects.json'));
      const folderOf = new Map(Object.entries(fieldsOf(projects)).map(([folder, id]) => [String(id), folder]));
      for (const project of await finder.subfolders(path.join(root, 'tmp'))) {
        const projectRoot = (await readOptionalText(path.join(project, '.project_root'))).trim();
        const workspace = projectRoot || folderOf.get(path.basename(project));
        const found = new Set(await finder.findFiles(path.join(project, 'chats'), hasExtension('.json', '.jsonl'), 1));
        for (const file of found) {
          // A session of 2025 that was resumed later was copied to JSONL.
          if (found.has(`${file}l`)) continue;
          const folder = path.basename(path.dirname(file));
          await finder.addFile(file, { workspace, parent: folder === 'chats' ? undefined : folder });
        }
      }
    },
    (file, sink) => readGemini(file.path, 'Gemini CLI', sink),
  );
}

/** Reads a session in Gemini CLI's format, which early versions of Qwen Code used as well. */
async function readGemini(file: string, name: string, sink: TranscriptSink): Promise<undefined> {
  const text = await readDocument(file);
  if (!isGemini(tryParse(text) ?? tryParse(text.split('\n', 1)[0]!))) throw unknownFormat(name);
  importGemini(text, sink);
}

/**
 * `~/.qwen/projects/<folder>/chats/<id>.jsonl`, archived in `chats/archive`, and subagents' in `subagents/<session>`;
 * before 2026 Gemini CLI's JSON in `~/.qwen/tmp`.
 */
function qwen(home: Home): Source {
  const root = home.env['QWEN_RUNTIME_DIR'] || toolFolder(home, 'QWEN_HOME', '.qwen');
  return createSource(
    'qwen',
    async (finder) => {
      for (const [folder, extension] of Object.entries({ projects: '.jsonl', tmp: '.json' })) {
        for (const project of await finder.subfolders(path.join(root, folder))) {
          await finder.addFiles(path.join(project, 'chats'), hasExtension(extension), 1);
          await finder.addFiles(path.join(project, 'subagents'), hasExtension('.jsonl'), 1);
        }
      }
    },
    (file, sink, from) => {
      if (!file.path.endsWith('.jsonl')) return readGemini(file.path, 'Qwen Code', sink);
      const isSubagent = path.basename(path.dirname(path.dirname(file.path))) === 'subagents';
      return readRecords(file, sink, (to, resumed) => qwenImporter(to, isSubagent, resumed !== undefined), from);
    },
  );
}

/** `~/.continue/sessions/<id>.json`; `sessions.json` is an index. */
function continueSessions(home: Home): Source {
  const root = path.join(toolFolder(home, 'CONTINUE_GLOBAL_DIR', '.continue'), 'sessions');
  return createSource(
    'continue',
    (finder) => finder.addFiles(root, (name) => name.endsWith('.json') && name !== 'sessions.json'),
    async (file, sink) => {
      const session = await readJson(file.path);
      if (!isContinueSession(session)) throw unknownFormat('Continue');
      importContinueSession(session, sink);
    },
  );
}

const AIDER_FILE_NAME = '.aider.chat.history.md';
/** Levels of folders that are searched in the home folder, for example `~/code/<owner>/<project>`. */
const AIDER_MAX_DEPTH = 3;
/** Large folders without projects. */
const EXCLUDED_FOLDERS = new Set(['node_modules', 'Library', 'AppData', 'go', 'snap']);

/** aider appends all runs in a project to `.aider.chat.history.md` in its folder. */
function aider(home: Home): Source {
  return createSource(
    'aider',
    async (finder) => {
      await addAiderFiles(finder, home.folder, AIDER_MAX_DEPTH);
      const historyFile = home.env['AIDER_CHAT_HISTORY_FILE'];
      if (!historyFile) return;
      const file = path.resolve(historyFile);
      await finder.addFile(file, { id: file });
    },
    async (file, sink) => {
      const text = await readDocument(file.path);
      if (!looksLikeAider(text.slice(0, 1 << 16))) throw unknownFormat('aider');
      const importer = new AiderImporter(sink);
      for (const line of text.split('\n')) importer.line(line.replace(/\r$/, ''));
      importer.flush();
    },
  );
}

function addAiderFiles(finder: Finder, folder: string, depth: number): Promise<void> {
  return finder.attempt(folder, async () => {
    // Folders without read permission in the home folder aren't worth reporting.
    for (const one of await readableEntries(folder)) {
      const fullPath = path.join(folder, one.name);
      if (one.isFile() && one.name === AIDER_FILE_NAME)
        await finder.addFile(fullPath, { id: fullPath, workspace: folder, title: path.basename(folder) });
      else if (one.isDirectory() && depth > 0 && !one.name.startsWith('.') && !EXCLUDED_FOLDERS.has(one.name))
        await addAiderFiles(finder, fullPath, depth - 1);
    }
  });
}
