import {
  fingerprints,
  relationsBetween,
  type FingerprintedEntry,
  type Relation,
} from '../app/library/session-relations.ts';
import type { UnreadablePath } from '../app/library/source.ts';
import { withSources } from '../sources/all-sources.ts';
import { homeOf, readChats, refusedOutput } from './read-chats.ts';
import type { Command } from './command.ts';

export const command: Command = {
  help: `Usage: threadkeeper sources [--home DIR] [--json]

Lists the chats of Claude Code, Codex, Copilot Chat and CLI, Cline, Roo Code, Kilo Code,
Gemini CLI, Qwen Code, opencode, Goose, aider, Continue, Cursor, and Zed, without changing
them, and the file of each. Most of these files can be passed to commands that take a FILE,
but databases can't. Files that can't be read are listed with the reason.

  --home DIR   home folder to search; default is your home folder
  --json       {"sessions":[{"id","tool","workspace","title","messages","updated","path",
               "compactions","relation":{"kind","of","shared"}}],
               "refused":[{"path","tool","reason"}]}
               "updated" in milliseconds since the epoch; "kind" is copy, continued, fork,
               or subagent; "shared" is the number of leading messages in common
`,
  options: { home: { type: 'string' } },
  isWithoutFile: true,
  async run({ options, env }) {
    const chats: FingerprintedEntry[] = [];
    const unreadable: UnreadablePath[] = [];
    await withSources(homeOf(options, env), async (sources) => {
      for await (const { entry, session } of readChats(sources, unreadable))
        chats.push({ entry, prints: fingerprints(session.messages) });
    });
    const refused = unreadable.map(refusedOutput);
    const relationOf = relationsBetween(chats);
    const entries = chats.map(({ entry }) => entry).sort((a, b) => b.updatedAt - a.updatedAt);
    const sessions = entries.map((entry) => {
      const { id, tool, workspace = null, title, messages, updatedAt: updated, path, compactions } = entry;
      return { id, tool, workspace, title, messages, updated, path, compactions, relation: relationOf.get(entry) };
    });
    const lines = sessions.map(({ tool, title, messages, updated, path, relation }) => {
      const note = relation ? ` (${relationText(relation)})` : '';
      const day = new Date(updated).toISOString().slice(0, 10);
      return `${day}  ${tool.padEnd(12)}  ${String(messages).padStart(6)}  ${title}${note}\n            ${path}\n`;
    });
    return {
      json: { sessions, refused },
      text: `${lines.join('')}chats: ${entries.length}, skipped files: ${refused.length}, dates in UTC\n`,
      notes: refused.map(({ path, tool, reason }) => `${tool}: ${path}: ${reason}`),
    };
  },
};

const relationText = ({ kind, of }: Relation): string =>
  kind === 'continued' ? `continues ${of}` : `${kind} of ${of}`;
