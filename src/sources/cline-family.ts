import path from 'node:path';
import type { Source, Tool } from '../app/library/source.ts';
import { phrase } from '../core/text/phrase.ts';
import { isList, isObject, stringOf, type JsonObject } from '../core/transcript/json-value.ts';
import { readRoleContent } from '../core/transcript/role-content.ts';
import {
  addCompaction,
  parseMoment,
  usageOf,
  type SessionFacts,
  type TranscriptSink,
} from '../core/transcript/transcript-message.ts';
import {
  filesBelow,
  sourceOf,
  folders,
  newerFormat,
  readBeside,
  readJson,
  unknownFormat,
  valueBeside,
  type Finder,
} from './files.ts';
import { editorFolders, toolFolder, type Home } from './home.ts';

/** The version of Cline's `<session>.messages.json` that is known. */
const VERSION = 1;

const EXTENSIONS = {
  cline: ['saoudrizwan.claude-dev', 'saoudrizwan.cline-nightly'],
  roo: ['rooveterinaryinc.roo-cline', 'rooveterinaryinc.roo-code-nightly', 'roo-code.roo-cline'],
  kilo: ['kilocode.kilo-code'],
} as const satisfies Partial<Record<Tool, readonly string[]>>;

/** What the extensions put around what the user typed. */
const ENVELOPE = /^\s*<(task|feedback|user_message|answer)>\n?([^]*?)\n?<\/\1>\s*$/;
const ENVIRONMENT = /^\s*<environment_details>[^]*<\/environment_details>\s*$/;

/** Cline and its forks: `tasks/<id>/api_conversation_history.json` in the extension's storage; Cline's CLI `~/.cline`. */
export function clineFamily(tool: 'cline' | 'roo' | 'kilo', home: Home): Source {
  return sourceOf(
    tool,
    async (finder) => {
      for (const user of editorFolders(home)) {
        for (const extension of EXTENSIONS[tool]) {
          const storage = path.join(user, 'globalStorage', extension);
          await finder.in(storage, () => addTasks(finder, storage));
        }
      }
      if (tool === 'cline') {
        const sessions = path.join(toolFolder(home, 'CLINE_DIR', '.cline'), 'data/sessions');
        await finder.in(sessions, () => addSessions(finder, sessions));
      }
    },
    async (file, sink) => {
      const value = await readJson(file.path);
      const version = isObject(value) ? value['version'] : undefined;
      if (typeof version === 'number' && version > VERSION) throw newerFormat(version, VERSION);
      const messages = isList(value) ? value : isObject(value) ? value['messages'] : undefined;
      if (!isList(messages)) throw unknownFormat(tool);
      for (const message of messages) addMessage(message, sink);
    },
  );
}

async function addTasks(finder: Finder, storage: string): Promise<void> {
  const history = await historyOf(path.join(storage, 'state/taskHistory.json'));
  for (const folder of await folders(path.join(storage, 'tasks'))) {
    const id = path.basename(folder);
    for (const file of await filesBelow(folder, (name) => name === 'api_conversation_history.json')) {
      const item = history.get(id) ?? (await readBeside(path.join(folder, 'history_item.json')));
      await finder.add(file, { id, ...factsOf(item) });
    }
  }
}

async function addSessions(finder: Finder, sessions: string): Promise<void> {
  for (const folder of await folders(sessions)) {
    const id = path.basename(folder);
    for (const file of await filesBelow(folder, (name) => name.endsWith('.messages.json'))) {
      const manifest = (await readBeside(path.join(folder, `${id}.json`))) ?? {};
      const metadata = isObject(manifest['metadata']) ? manifest['metadata'] : {};
      const [workspace, title] = [
        stringOf(manifest['cwd']),
        stringOf(metadata['title']) ?? stringOf(manifest['prompt']),
      ];
      const createdAt = parseMoment(manifest['created_at']);
      await finder.add(file, { id, workspace, title, createdAt });
    }
  }
}

async function historyOf(file: string): Promise<ReadonlyMap<string, JsonObject>> {
  const value = await valueBeside(file);
  const items = isList(value) ? value.filter(isObject) : [];
  return new Map(items.map((item) => [stringOf(item['id']) ?? '', item]));
}

function factsOf(item: JsonObject | undefined): SessionFacts {
  const title = stringOf(item?.['task']);
  const workspace = stringOf(item?.['workspace']) ?? stringOf(item?.['cwdOnTaskInitialization']);
  return { title, workspace };
}

function addMessage(message: unknown, sink: TranscriptSink): void {
  if (!isObject(message)) {
    sink.skip(phrase('record without a role or content'));
    return;
  }
  const at = parseMoment(message['ts']);
  if (message['isSummary'] === true) {
    const content = isList(message['content']) ? message['content'] : [message['content']];
    const summary = content.map((part) => (isObject(part) ? (stringOf(part['text']) ?? '') : (stringOf(part) ?? '')));
    addCompaction(sink, { summary: summary.join('\n'), at });
    return;
  }
  const info = isObject(message['modelInfo']) ? message['modelInfo'] : {};
  const metrics = isObject(message['metrics']) ? message['metrics'] : {};
  const counted = isObject(metrics['tokens']) ? metrics['tokens'] : metrics;
  const usage = usageOf({
    input: counted['prompt'] ?? counted['inputTokens'],
    output: counted['completion'] ?? counted['outputTokens'],
    cached: counted['cached'] ?? counted['cacheReadTokens'],
  });
  const content = message['role'] === 'user' ? typed(message['content'], sink) : message['content'];
  if (isList(content) && content.length === 0) return;
  readRoleContent({ role: message['role'], content }, sink, {
    at,
    model: stringOf(info['modelId'] ?? info['id']),
    usage,
  });
}

/** What the user typed, without what the extension put around and beside it. */
function typed(content: unknown, sink: TranscriptSink): unknown {
  if (typeof content === 'string') return content.replace(ENVELOPE, '$2');
  if (!isList(content)) return content;
  return content.flatMap((part) => {
    if (!isObject(part) || typeof part['text'] !== 'string') return [part];
    if (ENVIRONMENT.test(part['text'])) {
      sink.skip(phrase('context added by the tool'));
      return [];
    }
    return [{ ...part, text: part['text'].replace(ENVELOPE, '$2') }];
  });
}
