import { zstdCompressSync } from 'node:zlib';
import {
  ANSWERED,
  ARGS,
  ASKED,
  copilotEvents,
  copilotSaid,
  database,
  firstAndLast,
  iso,
  jsonl,
  ms,
  OUTPUT,
  putFile,
  expectedConversation,
  type ToolFixture,
  USAGE,
} from './conversation.ts';

const vscodeRequest = {
  requestId: 'r1',
  timestamp: ms(0),
  message: { text: ASKED, parts: [] },
  modelId: 'copilot/gpt-5',
  response: [
    { value: 'I will look.' },
    {
      kind: 'toolInvocationSerialized',
      toolCallId: 'c1',
      toolId: 'read_file',
      resultDetails: { input: JSON.stringify(ARGS), output: [{ value: OUTPUT }] },
    },
    { value: ANSWERED },
  ],
  result: { metadata: { promptTokens: 120, outputTokens: 30 } },
};
const vscodeSaid = expectedConversation({
  at: [0, 0, 0, 0],
  model: 'copilot/gpt-5',
  usage: { input: 120, output: 30 },
});
const STORAGE = '.config/Code/User/workspaceStorage/abc';
const opened = (home: string, folder: string): void => {
  putFile(home, `${folder}/workspace.json`, { folder: 'file:///home/sam/my%20api' });
};

const anthropicMessages = [
  {
    role: 'user',
    content: [
      { type: 'text', text: `<task>\n${ASKED}\n</task>` },
      { type: 'text', text: '<environment_details>\nfiles\n</environment_details>' },
    ],
    ts: ms(0),
  },
  {
    role: 'assistant',
    content: [
      { type: 'text', text: 'I will look.' },
      { type: 'tool_use', id: 'c1', name: 'read_file', input: ARGS },
    ],
    ts: ms(1),
    modelInfo: { modelId: 'opus' },
  },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: OUTPUT }], ts: ms(2) },
  {
    role: 'assistant',
    content: [{ type: 'text', text: ANSWERED }],
    ts: ms(3),
    modelInfo: { modelId: 'opus' },
    metrics: { tokens: { prompt: 120, completion: 30, cached: 100 } },
  },
];
const bare = anthropicMessages.map(({ role, content }) => ({ role, content }));
const storageOf = (extension: string): string => `.config/Code/User/globalStorage/${extension}`;

const bubbles = [
  { bubbleId: 'b1', type: 1, text: ASKED, createdAt: iso(0), workspaceUris: ['file:///home/sam/api'] },
  {
    bubbleId: 'b2',
    type: 2,
    text: 'I will look.',
    createdAt: iso(1),
    modelInfo: { modelName: 'sonnet' },
    toolFormerData: {
      toolCallId: 'c1',
      name: 'read_file',
      rawArgs: JSON.stringify(ARGS),
      result: OUTPUT,
      status: 'completed',
    },
  },
  {
    bubbleId: 'b3',
    type: 2,
    text: ANSWERED,
    createdAt: iso(3),
    modelInfo: { modelName: 'sonnet' },
    tokenCount: { inputTokens: 120, outputTokens: 30 },
  },
];
const cursorSaid = expectedConversation({ at: [0, 1, 1, 3], model: 'sonnet', usage: { input: 120, output: 30 } });
const CURSOR_GLOBAL = '.config/Cursor/User/globalStorage/state.vscdb';
const KV =
  'CREATE TABLE cursorDiskKV (key TEXT UNIQUE, value BLOB); CREATE TABLE ItemTable (key TEXT UNIQUE, value BLOB)';

const zedThread = {
  version: '0.3.0',
  title: 'The port',
  model: { provider: 'anthropic', model: 'opus' },
  messages: [
    { User: { id: 'u1', content: [{ Text: ASKED }] } },
    {
      Agent: {
        content: [
          { Thinking: { text: 'hm' } },
          { Text: 'I will look.' },
          { ToolUse: { id: 'c1', name: 'read_file', input: ARGS } },
        ],
        tool_results: { c1: { tool_use_id: 'c1', tool_name: 'read_file', is_error: false, content: { Text: OUTPUT } } },
      },
    },
    'Resume',
    { Agent: { content: [{ Text: ANSWERED }], tool_results: {} } },
  ],
};
const ZED_TABLE =
  'CREATE TABLE threads (id TEXT PRIMARY KEY, summary TEXT, updated_at TEXT, data_type TEXT, data BLOB, parent_id TEXT, folder_paths TEXT)';
const ZED_TABLE_OLD =
  'CREATE TABLE threads (id TEXT PRIMARY KEY, summary TEXT, updated_at TEXT, data_type TEXT, data BLOB)';

/** Old and current formats of editors and their extensions. */
export const EDITOR_TOOLS: readonly ToolFixture[] = [
  {
    tool: 'copilot-chat',
    format: 'session as a document',
    workspace: '/home/sam/my api',
    title: 'The port',
    write: (home) => {
      opened(home, STORAGE);
      return putFile(home, `${STORAGE}/chatSessions/v1.json`, {
        version: 3,
        sessionId: 'v1',
        creationDate: ms(0),
        customTitle: 'The port',
        responderUsername: 'GitHub Copilot',
        requests: [vscodeRequest],
      });
    },
    expected: vscodeSaid,
  },
  {
    tool: 'copilot-chat',
    format: 'session as a log of changes',
    workspace: '/home/sam/my api',
    write: (home) => {
      const folder = STORAGE.replace('.config/Code', '.config/Code - Insiders');
      opened(home, folder);
      const { response, result, ...request } = vscodeRequest;
      return putFile(
        home,
        `${folder}/chatSessions/v2.jsonl`,
        jsonl(
          {
            kind: 0,
            v: { version: 3, sessionId: 'v2', creationDate: ms(0), responderUsername: 'GitHub Copilot', requests: [] },
          },
          {
            kind: 2,
            k: ['requests'],
            v: [{ ...request, response: [response[0], { value: 'This is cut off again' }] }],
          },
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
    tool: 'copilot-chat',
    format: 'transcript with tool results',
    workspace: '/home/sam/api',
    write: (home) =>
      putFile(
        home,
        `.vscode-server/data/User/workspaceStorage/abc/GitHub.copilot-chat/transcripts/copilot-1.jsonl`,
        jsonl(...copilotEvents),
      ),
    expected: copilotSaid,
  },
  {
    tool: 'cline',
    format: 'task of the extension',
    workspace: '/home/sam/api',
    title: 'Where is the port set?',
    write: (home) => {
      const storage = storageOf('saoudrizwan.claude-dev');
      putFile(home, `${storage}/state/taskHistory.json`, [
        { id: '1', task: 'Where is the port set?', cwdOnTaskInitialization: '/home/sam/api' },
      ]);
      return putFile(home, `${storage}/tasks/1/api_conversation_history.json`, bare);
    },
    expected: expectedConversation({}),
  },
  {
    tool: 'cline',
    format: 'session of the command line',
    workspace: '/home/sam/api',
    title: 'The port',
    write: (home) => {
      putFile(home, '.cline/data/sessions/s1/s1.json', {
        session_id: 's1',
        cwd: '/home/sam/api',
        metadata: { title: 'The port' },
      });
      return putFile(home, '.cline/data/sessions/s1/s1.messages.json', {
        version: 1,
        agent: 'lead',
        sessionId: 's1',
        messages: anthropicMessages,
      });
    },
    expected: expectedConversation({ at: [0, 1, 2, 3], model: 'opus', usage: USAGE }),
  },
  {
    tool: 'roo',
    format: 'current, with a condensed context',
    workspace: '/home/sam/api',
    title: 'The port',
    write: (home) => {
      const storage = storageOf('rooveterinaryinc.roo-cline');
      putFile(home, `${storage}/tasks/r1/history_item.json`, {
        id: 'r1',
        task: 'The port',
        workspace: '/home/sam/api',
      });
      return putFile(home, `${storage}/tasks/r1/api_conversation_history.json`, [
        ...anthropicMessages,
        { role: 'user', content: 'The port is 8080.', isSummary: true, ts: ms(4) },
      ]);
    },
    expected: expectedConversation({ at: [0, 1, 2, 3], model: 'opus', usage: USAGE }),
    compactions: ['The port is 8080.'],
  },
  {
    tool: 'roo',
    format: 'of 2024, without times, in macOS’ place',
    write: (home) =>
      putFile(
        home,
        'Library/Application Support/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks/r0/api_conversation_history.json',
        bare,
      ),
    expected: expectedConversation({}),
  },
  {
    tool: 'kilo',
    format: 'current, in Windows’ place',
    write: (home) =>
      putFile(
        home,
        'AppData/Roaming/Code/User/globalStorage/kilocode.kilo-code/tasks/k1/api_conversation_history.json',
        anthropicMessages,
      ),
    expected: expectedConversation({ at: [0, 1, 2, 3], model: 'opus', usage: USAGE }),
  },
  {
    tool: 'kilo',
    format: 'of 2025, without times, in a portable install',
    write: (home) =>
      putFile(home, 'user-data/User/globalStorage/kilocode.kilo-code/tasks/k0/api_conversation_history.json', bare),
    expected: expectedConversation({}),
  },
  {
    tool: 'continue',
    format: 'current, with a compaction',
    workspace: '/home/sam/api',
    title: 'The port',
    write: (home) =>
      putFile(home, '.continue/sessions/c1.json', {
        sessionId: 'c1',
        title: 'The port',
        workspaceDirectory: 'file:///home/sam/api',
        history: [
          { message: { role: 'user', content: [{ type: 'text', text: ASKED }] }, contextItems: [] },
          {
            message: {
              role: 'assistant',
              content: 'I will look.',
              toolCalls: [
                { id: 'c1', type: 'function', function: { name: 'read_file', arguments: JSON.stringify(ARGS) } },
              ],
            },
            contextItems: [],
            promptLogs: [{ modelTitle: 'Sonnet' }],
          },
          { message: { role: 'tool', toolCallId: 'c1', content: OUTPUT }, contextItems: [] },
          {
            message: { role: 'assistant', content: ANSWERED, usage: { promptTokens: 120, completionTokens: 30 } },
            contextItems: [],
            promptLogs: [{ modelTitle: 'Sonnet' }],
            conversationSummary: 'The port is 8080.',
          },
        ],
      }),
    expected: expectedConversation({ model: 'Sonnet', usage: { input: 120, output: 30 } }),
    compactions: ['The port is 8080.'],
  },
  {
    tool: 'continue',
    format: 'of 2024, without tools and models',
    title: 'The port',
    write: (home) =>
      putFile(home, '.continue/sessions/c0.json', {
        sessionId: 'c0',
        title: 'The port',
        workspaceDirectory: '',
        history: [
          { message: { role: 'user', content: ASKED }, contextItems: [] },
          { message: { role: 'assistant', content: ANSWERED }, contextItems: [] },
        ],
      }),
    expected: firstAndLast(expectedConversation({})),
  },
  {
    tool: 'cursor',
    format: 'headers and bubbles',
    workspace: '/home/sam/api',
    title: 'The port',
    write: (home) =>
      database(home, CURSOR_GLOBAL, KV, {
        cursorDiskKV: [
          [
            'composerData:cc1',
            JSON.stringify({
              composerId: 'cc1',
              name: 'The port',
              createdAt: ms(0),
              lastUpdatedAt: ms(3),
              fullConversationHeadersOnly: bubbles.map(({ bubbleId, type }) => ({ bubbleId, type })),
            }),
          ],
          ['composerData:empty', JSON.stringify({ composerId: 'empty', fullConversationHeadersOnly: [] })],
          ...bubbles.map((bubble) => [`bubbleId:cc1:${bubble.bubbleId}`, JSON.stringify(bubble)]),
        ],
      }),
    expected: cursorSaid,
  },
  {
    tool: 'cursor',
    format: 'conversation in one value',
    workspace: '/home/sam/api',
    write: (home) =>
      database(home, CURSOR_GLOBAL, KV, {
        cursorDiskKV: [
          ['composerData:cc0', JSON.stringify({ composerId: 'cc0', createdAt: ms(0), conversation: bubbles })],
        ],
      }),
    expected: cursorSaid,
  },
  {
    tool: 'cursor',
    format: 'tabs of 2024',
    title: 'The port',
    write: (home) =>
      database(home, '.config/Cursor/User/workspaceStorage/abc/state.vscdb', KV, {
        ItemTable: [
          [
            'workbench.panel.aichat.view.aichat.chatdata',
            JSON.stringify({
              tabs: [
                {
                  tabId: 't1',
                  chatTitle: 'The port',
                  lastSendTime: ms(3),
                  bubbles: [
                    { type: 'user', text: ASKED },
                    { type: 'ai', rawText: ANSWERED, modelType: 'gpt-4' },
                  ],
                },
              ],
            }),
          ],
        ],
      }),
    expected: firstAndLast(expectedConversation({ model: 'gpt-4' })),
  },
  {
    tool: 'cursor',
    format: 'agent for the terminal',
    write: (home) =>
      putFile(
        home,
        '.cursor/projects/home-sam-api/agent-transcripts/t1/t1.jsonl',
        jsonl(
          { role: 'user', message: { content: [{ type: 'text', text: ASKED }] } },
          {
            role: 'assistant',
            message: {
              content: [
                { type: 'text', text: 'I will look.' },
                { type: 'tool_use', name: 'read_file', input: ARGS },
              ],
            },
          },
          { role: 'assistant', message: { content: [{ type: 'text', text: ANSWERED }] } },
          { type: 'turn_ended', status: 'success' },
        ),
      ),
    expected: expectedConversation({}).filter(({ role }) => role !== 'tool'),
  },
  {
    tool: 'zed',
    format: 'compressed thread',
    workspace: '/home/sam/api',
    title: 'The port',
    write: (home) =>
      database(home, '.local/share/zed/threads/threads.db', ZED_TABLE, {
        threads: [['z1', 'The port', iso(3), 'zstd', zstdCompressSync(JSON.stringify(zedThread)), '', '/home/sam/api']],
      }),
    expected: expectedConversation({ model: 'opus' }),
  },
  {
    tool: 'zed',
    format: 'plain thread of 2025',
    title: 'The port',
    write: (home) =>
      database(home, 'Library/Application Support/Zed/threads/threads.db', ZED_TABLE_OLD, {
        threads: [
          [
            'z0',
            'The port',
            iso(3),
            'json',
            JSON.stringify({
              version: '0.2.0',
              summary: 'The port',
              messages: [
                { id: 1, role: 'user', segments: [{ type: 'text', text: ASKED }] },
                { id: 2, role: 'assistant', segments: [{ type: 'text', text: ANSWERED }] },
              ],
            }),
          ],
        ],
      }),
    expected: firstAndLast(expectedConversation({})),
  },
];
