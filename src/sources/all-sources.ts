import type { Source } from '../app/library/source.ts';
import { aider } from './aider.ts';
import { clineFamily } from './cline-family.ts';
import { copilotChat } from './copilot-chat.ts';
import { copilotCli } from './copilot-cli.ts';
import { cursor } from './cursor.ts';
import type { Databases } from './databases.ts';
import { gemini, readGemini } from './gemini.ts';
import { goose } from './goose.ts';
import { type Home, toolFolder } from './home.ts';
import { opencode } from './opencode.ts';
import { zed } from './zed.ts';
import path from 'node:path';
import { ClaudeCodeImporter } from '../core/transcript/claude-code.ts';
import { endsIn, sourceOf, filesBelow, readJson, unknownFormat, folders } from './files.ts';
import { readRecords } from './lines.ts';
import { CodexImporter } from '../core/transcript/codex.ts';
import { importContinueSession, isContinueSession } from '../core/transcript/continue-session.ts';
import { QwenImporter } from '../core/transcript/qwen.ts';

/** Every tool's store in a home. The databases are the caller's to close. */
export function allSources(home: Home, databases: Databases): readonly Source[] {
  return [
    claudeCode(home),
    codex(home),
    copilotChat(home),
    copilotCli(home),
    clineFamily('cline', home),
    clineFamily('roo', home),
    clineFamily('kilo', home),
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

/** `~/.claude/projects/<folder>/<session>.jsonl`, a subagent's beside or below as `agent-<id>.jsonl`. */
function claudeCode(home: Home): Source {
  const projects = path.join(toolFolder(home, 'CLAUDE_CONFIG_DIR', '.claude'), 'projects');
  return sourceOf(
    'claude-code',
    (finder) => finder.addAll(projects, endsIn('.jsonl'), {}, 3),
    async (file, sink, from) => {
      const isSubagent = path.basename(file.path).startsWith('agent-');
      return readRecords(file, sink, (to) => new ClaudeCodeImporter(to, isSubagent), from);
    },
  );
}

/** `~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`, in the folder itself before 2025-08, `archived_sessions` later. */
function codex(home: Home): Source {
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

/** `~/.continue/sessions/<id>.json`; `sessions.json` is their index. */
function continueSessions(home: Home): Source {
  const root = path.join(toolFolder(home, 'CONTINUE_GLOBAL_DIR', '.continue'), 'sessions');
  return sourceOf(
    'continue',
    (finder) => finder.addAll(root, (name) => name.endsWith('.json') && name !== 'sessions.json'),
    async (file, sink) => {
      const session = await readJson(file.path);
      if (!isContinueSession(session)) throw unknownFormat('Continue');
      importContinueSession(session, sink);
    },
  );
}

/** `~/.qwen/projects/<folder>/chats/<id>.jsonl`; before 2026 Gemini CLI's documents below `~/.qwen/tmp`. */
function qwen(home: Home): Source {
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
