import type { ToolFixture } from './conversation.ts';
import { EDITOR_TOOLS } from './editor-tools.ts';
import { TERMINAL_TOOLS } from './terminal-tools.ts';

export const TOOL_FIXTURES: readonly ToolFixture[] = [...TERMINAL_TOOLS, ...EDITOR_TOOLS];
