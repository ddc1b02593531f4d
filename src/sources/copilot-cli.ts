import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Source } from '../app/library/source.ts';
import { CopilotEventsImporter } from '../core/transcript/copilot-events.ts';
import { isList, isObject, stringOf } from '../core/transcript/json-value.ts';
import { readRoleContent } from '../core/transcript/role-content.ts';
import { parseMoment, type SessionFacts } from '../core/transcript/transcript-message.ts';
import { endsIn, filesBelow, sourceOf, folders, isCode, readJson, unknownFormat } from './files.ts';
import { toolFolder, type Home } from './home.ts';
import { readRecords } from './lines.ts';

/** `~/.copilot/session-state/<id>/events.jsonl`; before 2026 `history-session-state/session_*.json`. */
export function copilotCli(home: Home): Source {
  const root = toolFolder(home, 'COPILOT_HOME', '.copilot');
  return sourceOf(
    'copilot-cli',
    async (finder) => {
      await finder.in(root, async () => {
        for (const folder of await folders(path.join(root, 'session-state'))) {
          for (const file of await filesBelow(folder, (name) => name === 'events.jsonl')) {
            await finder.add(file, { id: path.basename(folder), ...(await workspaceFacts(folder)) });
          }
        }
        // The first versions kept the log beside the folders.
        await finder.addAll(path.join(root, 'session-state'), endsIn('.jsonl'));
        await finder.addAll(path.join(root, 'history-session-state'), endsIn('.json'));
      });
    },
    async (file, sink, from) => {
      if (file.path.endsWith('.jsonl')) {
        return readRecords(file, sink, (to, model) => new CopilotEventsImporter(to, model), from);
      }
      const session = await readJson(file.path);
      if (!isObject(session) || !isList(session['chatMessages'])) throw unknownFormat('Copilot CLI');
      const [id, createdAt] = [stringOf(session['sessionId']), parseMoment(session['startTime'])];
      sink.about?.({ id, createdAt });
      for (const message of session['chatMessages']) readRoleContent(message, sink);
      return undefined;
    },
  );
}

/** `workspace.yaml` is flat: a key, a colon and a text on each line. */
async function workspaceFacts(folder: string): Promise<SessionFacts> {
  try {
    const text = await readFile(path.join(folder, 'workspace.yaml'), 'utf8');
    const value = (key: string): string | undefined =>
      new RegExp(`^${key}: *["']?(.*?)["']? *$`, 'm').exec(text)?.[1] || undefined;
    const [workspace, title] = [value('cwd'), value('summary') ?? value('name')];
    return { workspace, title };
  } catch (error) {
    if (isCode(error, 'ENOENT')) return {};
    throw error;
  }
}
