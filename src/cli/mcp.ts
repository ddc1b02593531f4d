import { homeOf } from './read-chats.ts';
import { UsageError, type Command } from './command.ts';

export const command: Command = {
  help: `Usage: threadkeeper mcp [--home DIR]

Starts an MCP server on standard input and output, with which Claude Code, Codex, VS Code,
and other programs search the chats of all supported tools on this machine. It has the
tools recall, sessions, decisions, and expand, and only reads the chats. An index of them
is kept in your cache folder. Ends when the program disconnects.

  --home DIR   home folder to search; default is your home folder
`,
  options: { home: { type: 'string' } },
  isWithoutFile: true,
  async run({ options, json, output, env }) {
    if (json) throw new UsageError('mcp has no option --json.');
    const home = homeOf(options, env);
    if (process.stdin.isTTY)
      await output.note('threadkeeper: Waiting for a program that speaks MCP. To end the server, press Ctrl+C.');
    const { serve } = await import('../mcp/server.ts');
    await serve({
      home,
      env,
      version: process.env.THREADKEEPER_VERSION ?? 'unknown',
      input: process.stdin,
      output: process.stdout,
      warn: (message) => void output.note(`threadkeeper: ${message}`),
    });
    return undefined;
  },
};
