import { zstdCompressSync } from 'node:zlib';
import {
  ANSWERED,
  ARGS,
  ASKED,
  copilotEvents,
  copilotSaid,
  databaseOf,
  fileOf,
  firstAndLast,
  IN_API,
  iso,
  jsonl,
  ms,
  OPENAI_CALL,
  OUTPUT,
  putFile,
  expectedConversation,
  SUMMARY,
  text,
  TITLED,
  type ToolFixture,
  USAGE,
  WILL_LOOK,
} from './conversation.ts';

const IN_OUT = { input: 120, output: 30 };
const vscodeCall = {
  ...{ kind: 'toolInvocationSerialized', toolCallId: 'c1', toolId: 'read_file' },
  resultDetails: { input: JSON.stringify(ARGS), output: [{ value: OUTPUT }] },
};
const vscodeRequest = {
  ...{ requestId: 'r1', timestamp: ms(0), message: { text: ASKED, parts: [] }, modelId: 'copilot/gpt-5' },
  response: [{ value: 'I will look.' }, vscodeCall, { value: ANSWERED }],
  result: { metadata: { promptTokens: 120, outputTokens: 30 } },
};
const vscodeSaid = expectedConversation({ at: [0, 0, 0, 0], model: 'copilot/gpt-5', usage: IN_OUT });
const vscodeSession = { version: 3, creationDate: ms(0), responderUsername: 'GitHub Copilot' };
const STORAGE = '.config/Code/User/workspaceStorage/abc';
const opened = (home: string, folder: string): void => {
  putFile(home, `${folder}/workspace.json`, { folder: 'file:///home/sam/my%20api' });
};

const OPUS = { modelInfo: { modelId: 'opus' } };
const environment = text('<environment_details>\nfiles\n</environment_details>');
const CALL_BLOCK = { type: 'tool_use', id: 'c1', name: 'read_file', input: ARGS };
const TOKENS = { metrics: { tokens: { prompt: 120, completion: 30, cached: 100 } } };
const anthropicMessages = [
  { role: 'user', content: [text(`<task>\n${ASKED}\n</task>`), environment], ts: ms(0) },
  { role: 'assistant', content: [WILL_LOOK, CALL_BLOCK], ts: ms(1), ...OPUS },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: OUTPUT }], ts: ms(2) },
  { role: 'assistant', content: [text(ANSWERED)], ts: ms(3), ...OPUS, ...TOKENS },
];
const anthropicSaid = expectedConversation({ at: [0, 1, 2, 3], model: 'opus', usage: USAGE });
const bare = anthropicMessages.map(({ role, content }) => ({ role, content }));
const GLOBAL_STORAGE = 'Code/User/globalStorage';
const HISTORY = 'api_conversation_history.json';

const SONNET = { modelInfo: { modelName: 'sonnet' } };
const cursorCall = { toolCallId: 'c1', name: 'read_file', rawArgs: JSON.stringify(ARGS), result: OUTPUT };
const toolFormerData = { ...cursorCall, status: 'completed' };
const tokenCount = { inputTokens: 120, outputTokens: 30 };
const bubbles = [
  { bubbleId: 'b1', type: 1, text: ASKED, createdAt: iso(0), workspaceUris: ['file:///home/sam/api'] },
  { bubbleId: 'b2', type: 2, text: 'I will look.', createdAt: iso(1), ...SONNET, toolFormerData },
  { bubbleId: 'b3', type: 2, text: ANSWERED, createdAt: iso(3), ...SONNET, tokenCount },
];
const bubbleHeaders = bubbles.map(({ bubbleId, type }) => ({ bubbleId, type }));
const cursorSaid = expectedConversation({ at: [0, 1, 1, 3], model: 'sonnet', usage: IN_OUT });
const composer = (id: string, data: object): string[] => [
  `composerData:${id}`,
  JSON.stringify({ composerId: id, ...data }),
];
const cursorTab = {
  ...{ tabId: 't1', chatTitle: 'The port', lastSendTime: ms(3) },
  bubbles: [
    { type: 'user', text: ASKED },
    { type: 'ai', rawText: ANSWERED, modelType: 'gpt-4' },
  ],
};
const cursorLine = (role: string, ...content: readonly object[]): object => ({ role, message: { content } });
const CURSOR_GLOBAL = '.config/Cursor/User/globalStorage/state.vscdb';
const CURSOR_FOLDER = '.config/Cursor/User/workspaceStorage/abc/state.vscdb';
const KV =
  'CREATE TABLE cursorDiskKV (key TEXT UNIQUE, value BLOB); CREATE TABLE ItemTable (key TEXT UNIQUE, value BLOB)';

const continued = (message: object, more: object = {}): object => ({ message, contextItems: [], ...more });
const CONTINUE = { sessionId: 'c1', title: 'The port', workspaceDirectory: 'file:///home/sam/api' };
const byModel = { promptLogs: [{ modelTitle: 'Sonnet' }] };
const continueUsage = { promptTokens: 120, completionTokens: 30 };

const zedResult = { tool_use_id: 'c1', tool_name: 'read_file', is_error: false, content: { Text: OUTPUT } };
const zedCall = { ToolUse: { id: 'c1', name: 'read_file', input: ARGS } };
const zedLooks = [{ Thinking: { text: 'hm' } }, { Text: 'I will look.' }, zedCall];
const zedThread = {
  ...{ version: '0.3.0', title: 'The port', model: { provider: 'anthropic', model: 'opus' } },
  messages: [
    { User: { id: 'u1', content: [{ Text: ASKED }] } },
    { Agent: { content: zedLooks, tool_results: { c1: zedResult } } },
    'Resume',
    { Agent: { content: [{ Text: ANSWERED }], tool_results: {} } },
  ],
};
const zedOldThread = {
  ...{ version: '0.2.0', summary: 'The port' },
  messages: [
    { id: 1, role: 'user', segments: [text(ASKED)] },
    { id: 2, role: 'assistant', segments: [text(ANSWERED)] },
  ],
};
const ZED_COLUMNS = 'id TEXT PRIMARY KEY, summary TEXT, updated_at TEXT, data_type TEXT, data BLOB';

export const EDITOR_TOOLS: readonly ToolFixture[] = [
  {
    ...{ tool: 'copilot-chat', format: 'session as a document', workspace: '/home/sam/my api', title: 'The port' },
    write: (home) => {
      opened(home, STORAGE);
      const session = { ...vscodeSession, sessionId: 'v1', customTitle: 'The port', requests: [vscodeRequest] };
      return putFile(home, `${STORAGE}/chatSessions/v1.json`, session);
    },
    expected: vscodeSaid,
  },
  {
    ...{ tool: 'copilot-chat', format: 'session as a log of changes', workspace: '/home/sam/my api' },
    write: (home) => {
      const folder = STORAGE.replace('.config/Code', '.config/Code - Insiders');
      opened(home, folder);
      const { response, result, ...request } = vscodeRequest;
      const begun = { ...request, response: [response[0], { value: 'This is cut off again' }] };
      return putFile(
        home,
        `${folder}/chatSessions/v2.jsonl`,
        jsonl(
          { kind: 0, v: { ...vscodeSession, sessionId: 'v2', requests: [] } },
          { kind: 2, k: ['requests'], v: [begun] },
          { kind: 2, k: ['requests', 0, 'response'], v: response.slice(1), i: 1 },
          { kind: 1, k: ['requests', 0, 'result'], v: result },
          { kind: 1, k: ['customTitle'], v: 'Wrong' },
          { kind: 3, k: ['customTitle'] },
        ),
      );
    },
    expected: vscodeSaid,
  },
  {
    ...{ tool: 'copilot-chat', format: 'transcript with tool results', ...IN_API },
    write: fileOf(
      '.vscode-server/data/User/workspaceStorage/abc/GitHub.copilot-chat/transcripts/copilot-1.jsonl',
      jsonl(...copilotEvents),
    ),
    expected: copilotSaid,
  },
  {
    ...{ tool: 'cline', format: 'task of the extension', ...IN_API, title: 'Where is the port set?' },
    write: (home) => {
      const storage = `.config/${GLOBAL_STORAGE}/saoudrizwan.claude-dev`;
      const task = { id: '1', task: 'Where is the port set?', cwdOnTaskInitialization: '/home/sam/api' };
      putFile(home, `${storage}/state/taskHistory.json`, [task]);
      return putFile(home, `${storage}/tasks/1/${HISTORY}`, bare);
    },
    expected: expectedConversation({}),
  },
  {
    ...{ tool: 'cline', format: 'session of the command line', ...TITLED },
    write: (home) => {
      const folder = '.cline/data/sessions/s1';
      const session = { session_id: 's1', cwd: '/home/sam/api', metadata: { title: 'The port' } };
      putFile(home, `${folder}/s1.json`, session);
      const messages = { version: 1, agent: 'lead', sessionId: 's1', messages: anthropicMessages };
      return putFile(home, `${folder}/s1.messages.json`, messages);
    },
    expected: anthropicSaid,
  },
  {
    ...{ tool: 'roo', format: 'current, with a condensed context', ...TITLED },
    write: (home) => {
      const task = `.config/${GLOBAL_STORAGE}/rooveterinaryinc.roo-cline/tasks/r1`;
      putFile(home, `${task}/history_item.json`, { id: 'r1', task: 'The port', workspace: '/home/sam/api' });
      const summary = { role: 'user', content: SUMMARY, isSummary: true, ts: ms(4) };
      return putFile(home, `${task}/${HISTORY}`, [...anthropicMessages, summary]);
    },
    expected: anthropicSaid,
    compactions: [SUMMARY],
  },
  {
    ...{ tool: 'roo', format: 'of 2024, without times, in macOS’ place' },
    write: fileOf(`Library/Application Support/${GLOBAL_STORAGE}/rooveterinaryinc.roo-cline/tasks/r0/${HISTORY}`, bare),
    expected: expectedConversation({}),
  },
  {
    ...{ tool: 'kilo', format: 'current, in Windows’ place' },
    write: fileOf(`AppData/Roaming/${GLOBAL_STORAGE}/kilocode.kilo-code/tasks/k1/${HISTORY}`, anthropicMessages),
    expected: anthropicSaid,
  },
  {
    ...{ tool: 'kilo', format: 'of 2025, without times, in a portable install' },
    write: fileOf(`user-data/User/globalStorage/kilocode.kilo-code/tasks/k0/${HISTORY}`, bare),
    expected: expectedConversation({}),
  },
  {
    ...{ tool: 'continue', format: 'current, with a compaction', ...TITLED },
    write: fileOf('.continue/sessions/c1.json', {
      ...CONTINUE,
      history: [
        continued({ role: 'user', content: [text(ASKED)] }),
        continued({ role: 'assistant', content: 'I will look.', toolCalls: [OPENAI_CALL] }, byModel),
        continued({ role: 'tool', toolCallId: 'c1', content: OUTPUT }),
        continued(
          { role: 'assistant', content: ANSWERED, usage: continueUsage },
          { ...byModel, conversationSummary: SUMMARY },
        ),
      ],
    }),
    expected: expectedConversation({ model: 'Sonnet', usage: IN_OUT }),
    compactions: [SUMMARY],
  },
  {
    ...{ tool: 'continue', format: 'of 2024, without tools and models', title: 'The port' },
    write: fileOf('.continue/sessions/c0.json', {
      ...{ ...CONTINUE, sessionId: 'c0', workspaceDirectory: '' },
      history: [continued({ role: 'user', content: ASKED }), continued({ role: 'assistant', content: ANSWERED })],
    }),
    expected: firstAndLast(expectedConversation({})),
  },
  {
    ...{ tool: 'cursor', format: 'headers and bubbles', ...TITLED },
    write: databaseOf(CURSOR_GLOBAL, KV, {
      cursorDiskKV: [
        composer('cc1', {
          ...{ name: 'The port', createdAt: ms(0), lastUpdatedAt: ms(3) },
          fullConversationHeadersOnly: bubbleHeaders,
        }),
        composer('empty', { fullConversationHeadersOnly: [] }),
        ...bubbles.map((bubble) => [`bubbleId:cc1:${bubble.bubbleId}`, JSON.stringify(bubble)]),
      ],
    }),
    expected: cursorSaid,
  },
  {
    ...{ tool: 'cursor', format: 'conversation in one value', ...IN_API },
    write: databaseOf(CURSOR_GLOBAL, KV, {
      cursorDiskKV: [composer('cc0', { createdAt: ms(0), conversation: bubbles })],
    }),
    expected: cursorSaid,
  },
  {
    ...{ tool: 'cursor', format: 'tabs of 2024', title: 'The port' },
    write: databaseOf(CURSOR_FOLDER, KV, {
      ItemTable: [['workbench.panel.aichat.view.aichat.chatdata', JSON.stringify({ tabs: [cursorTab] })]],
    }),
    expected: firstAndLast(expectedConversation({ model: 'gpt-4' })),
  },
  {
    ...{ tool: 'cursor', format: 'agent for the terminal' },
    write: fileOf(
      '.cursor/projects/home-sam-api/agent-transcripts/t1/t1.jsonl',
      jsonl(
        cursorLine('user', text(ASKED)),
        cursorLine('assistant', WILL_LOOK, { type: 'tool_use', name: 'read_file', input: ARGS }),
        cursorLine('assistant', text(ANSWERED)),
        { type: 'turn_ended', status: 'success' },
      ),
    ),
    expected: expectedConversation({}).filter(({ role }) => role !== 'tool'),
  },
  {
    ...{ tool: 'zed', format: 'compressed thread', ...TITLED },
    write: databaseOf(
      '.local/share/zed/threads/threads.db',
      `CREATE TABLE threads (${ZED_COLUMNS}, parent_id TEXT, folder_paths TEXT)`,
      {
        threads: [['z1', 'The port', iso(3), 'zstd', zstdCompressSync(JSON.stringify(zedThread)), '', '/home/sam/api']],
      },
    ),
    expected: expectedConversation({ model: 'opus' }),
  },
  {
    ...{ tool: 'zed', format: 'plain thread of 2025', title: 'The port' },
    write: databaseOf('Library/Application Support/Zed/threads/threads.db', `CREATE TABLE threads (${ZED_COLUMNS})`, {
      threads: [['z0', 'The port', iso(3), 'json', JSON.stringify(zedOldThread)]],
    }),
    expected: firstAndLast(expectedConversation({})),
  },
];
