import path from 'node:path';
import type { Source } from '../app/library/source.ts';
import { ClaudeCodeImporter } from '../core/transcript/claude-code.ts';
import { endsIn, sourceOf } from './files.ts';
import { toolFolder, type Home } from './home.ts';
import { readRecords } from './lines.ts';

/** `~/.claude/projects/<folder>/<session>.jsonl`, a subagent's beside or below as `agent-<id>.jsonl`. */
export function claudeCode(home: Home): Source {
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
