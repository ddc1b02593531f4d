import type { Source } from '../app/library/source.ts';
import { aider } from './aider.ts';
import { claudeCode } from './claude-code.ts';
import { clineFamily } from './cline-family.ts';
import { codex } from './codex.ts';
import { continueSessions } from './continue.ts';
import { copilotChat } from './copilot-chat.ts';
import { copilotCli } from './copilot-cli.ts';
import { cursor } from './cursor.ts';
import type { Databases } from './databases.ts';
import { gemini } from './gemini.ts';
import { goose } from './goose.ts';
import type { Home } from './home.ts';
import { opencode } from './opencode.ts';
import { qwen } from './qwen.ts';
import { zed } from './zed.ts';

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
