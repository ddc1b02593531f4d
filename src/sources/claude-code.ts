import path from 'node:path';
import type { Source } from '../app/library/source.ts';
import { ClaudeCodeImporter } from '../core/transcript/claude-code.ts';
import { ofRecords } from '../core/transcript/recognize.ts';
import { endsIn, filesBelow, Finder } from './files.ts';
import { toolFolder, type Home } from './home.ts';
import { readLines } from './lines.ts';

/** `~/.claude/projects/<folder>/<session>.jsonl`, a subagent's beside or below as `agent-<id>.jsonl`. */
export function claudeCode(home: Home): Source {
  const projects = path.join(toolFolder(home, 'CLAUDE_CONFIG_DIR', '.claude'), 'projects');
  return {
    tool: 'claude-code',
    async find() {
      const finder = new Finder('claude-code');
      await finder.in(projects, async () => {
        for (const file of await filesBelow(projects, endsIn('.jsonl'), 3)) {
          await finder.add(file, { id: path.basename(file, '.jsonl') });
        }
      });
      return finder.found();
    },
    read(file, sink, from) {
      const isSubagent = path.basename(file.path).startsWith('agent-');
      return readLines(file, sink, (to) => ofRecords(new ClaudeCodeImporter(to, isSubagent), to), from);
    },
  };
}
