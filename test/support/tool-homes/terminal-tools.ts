import {
  ANSWERED,
  ARGS,
  ASKED,
  CALL,
  copilotEvents,
  copilotSaid,
  database,
  event,
  type ExpectedMessage,
  iso,
  jsonl,
  ms,
  OUTPUT,
  putFile,
  expectedConversation,
  type ToolFixture,
  USAGE,
} from './conversation.ts';

const claudeUsage = { input_tokens: 20, cache_read_input_tokens: 100, output_tokens: 30 };
const claude = (type: string, second: number, message: object, more: object = {}): object => ({
  type,
  sessionId: 'claude-1',
  cwd: '/home/sam/api',
  timestamp: iso(second),
  uuid: `u${second}`,
  message,
  ...more,
});
export const claudeRecords = [
  claude('user', 0, { role: 'user', content: ASKED }),
  claude('assistant', 1, {
    id: 'm1',
    role: 'assistant',
    model: 'opus',
    content: [{ type: 'text', text: 'I will look.' }],
  }),
  claude('assistant', 2, {
    id: 'm1',
    role: 'assistant',
    model: 'opus',
    content: [{ type: 'tool_use', id: 'c1', name: 'read_file', input: ARGS }],
  }),
  claude('user', 3, { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: OUTPUT }] }),
  claude('assistant', 4, {
    id: 'm2',
    role: 'assistant',
    model: 'opus',
    content: [{ type: 'text', text: ANSWERED }],
    usage: claudeUsage,
  }),
];
const compacted = claude(
  'user',
  5,
  { role: 'user', content: 'This session continues: the port is 8080.' },
  { isCompactSummary: true },
);

const codexItem = (second: number, payload: object): object => ({
  timestamp: iso(second),
  type: 'response_item',
  payload,
});
const codexItems = [
  { type: 'message', role: 'user', content: [{ type: 'input_text', text: ASKED }] },
  { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I will look.' }] },
  { type: 'function_call', name: 'read_file', arguments: JSON.stringify(ARGS), call_id: 'c1' },
  { type: 'function_call_output', call_id: 'c1', output: OUTPUT },
  { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: ANSWERED }] },
];
const codexSaid = (at: readonly number[] | undefined, model?: string, usage?: object): ExpectedMessage[] => {
  const moment = (index: number): object => (at ? { at: ms(at[index]!) } : {});
  const by = model === undefined ? {} : { model };
  return [
    { role: 'user', text: ASKED, ...moment(0) },
    { role: 'assistant', text: 'I will look.', ...moment(1), ...by },
    { role: 'assistant', text: CALL, ...moment(2), ...by },
    { role: 'tool', text: OUTPUT, ...moment(3) },
    { role: 'assistant', text: ANSWERED, ...moment(4), ...by, ...(usage && { usage }) },
  ];
};

const geminiTokens = { input: 120, output: 30, cached: 100, total: 150 };
const geminiMessages = [
  { id: 'g1', timestamp: iso(0), type: 'user', content: ASKED },
  {
    id: 'g2',
    timestamp: iso(1),
    type: 'gemini',
    content: [{ text: 'I will look.' }],
    model: 'gemini-3-pro',
    toolCalls: [
      {
        id: 'c1',
        name: 'read_file',
        args: ARGS,
        status: 'success',
        result: [{ functionResponse: { id: 'c1', name: 'read_file', response: { output: OUTPUT } } }],
      },
    ],
  },
  { id: 'g3', timestamp: iso(3), type: 'gemini', content: ANSWERED, model: 'gemini-3-pro', tokens: geminiTokens },
];
const geminiSession = { sessionId: 'gemini-1', projectHash: 'abc', startTime: iso(0), lastUpdated: iso(3) };
const geminiSaid = expectedConversation({ at: [0, 1, 1, 3], model: 'gemini-3-pro', usage: USAGE });

const qwen = (type: string, second: number, role: string, parts: readonly object[], more: object = {}): object => ({
  type,
  sessionId: 'qwen-1',
  cwd: '/home/sam/api',
  timestamp: iso(second),
  message: { role, parts },
  ...more,
});

const opencodeParts = {
  text: (text: string): object => ({ type: 'text', text }),
  tool: { type: 'tool', tool: 'read_file', callID: 'c1', state: { status: 'completed', input: ARGS, output: OUTPUT } },
};
const opencodeMessages = [
  ['msg_1', { role: 'user', time: { created: ms(0) } }, [opencodeParts.text(ASKED)]],
  [
    'msg_2',
    { role: 'assistant', modelID: 'gpt-5', time: { created: ms(1) } },
    [opencodeParts.text('I will look.'), opencodeParts.tool],
  ],
  [
    'msg_3',
    {
      role: 'assistant',
      modelID: 'gpt-5',
      time: { created: ms(3) },
      tokens: { input: 20, output: 30, reasoning: 0, cache: { read: 100, write: 0 } },
    },
    [opencodeParts.text(ANSWERED)],
  ],
] as const;
const opencodeUsage = { ...USAGE, cacheWrite: 0, reasoning: 0 };
const opencodeSaid = expectedConversation({ at: [0, 1, 1, 3], model: 'gpt-5', usage: opencodeUsage });

const opencodeDatabase = (home: string, name: string): string =>
  database(
    home,
    name,
    'CREATE TABLE session (id TEXT, project_id TEXT, parent_id TEXT, directory TEXT, title TEXT, time_created INTEGER, time_updated INTEGER);' +
      'CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);' +
      'CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, time_created INTEGER, data TEXT)',
    {
      'session (id, directory, title, time_created, time_updated)': [
        ['ses_1', '/home/sam/api', 'The port', ms(0), ms(3)],
      ],
      'message (id, session_id, time_created, data)': [
        ...opencodeMessages.map(([id, data], index) => [id, 'ses_1', ms(index), JSON.stringify(data)]),
        ['msg_4', 'ses_1', ms(4), JSON.stringify({ role: 'assistant', summary: true, time: { created: ms(4) } })],
      ],
      'part (id, message_id, session_id, time_created, data)': [
        ...opencodeMessages.flatMap(([message, , parts]) =>
          parts.map((part, index) => [`prt_${message}_${index}`, message, 'ses_1', ms(index), JSON.stringify(part)]),
        ),
        ['prt_9', 'msg_4', 'ses_1', ms(4), JSON.stringify(opencodeParts.text('The port is 8080.'))],
      ],
    },
  );

const opencode2Rows = [
  ['msg_1', 'user', 0, { text: ASKED, time: { created: ms(0) } }],
  ['msg_s', 'model-switched', 0, { model: { id: 'gpt-5', providerID: 'openai' }, time: { created: ms(0) } }],
  [
    'msg_2',
    'assistant',
    1,
    {
      agent: 'build',
      model: { id: 'gpt-5', providerID: 'openai' },
      content: [
        { type: 'reasoning', text: 'hm' },
        { type: 'text', text: 'I will look.' },
        {
          type: 'tool',
          id: 'c1',
          name: 'read_file',
          state: { status: 'completed', input: ARGS, content: [{ type: 'text', text: OUTPUT }] },
          time: { created: ms(1) },
        },
      ],
      time: { created: ms(1) },
    },
  ],
  [
    'msg_3',
    'assistant',
    3,
    {
      agent: 'build',
      model: { id: 'gpt-5', providerID: 'openai' },
      content: [{ type: 'text', text: ANSWERED }],
      tokens: { input: 20, output: 30, reasoning: 0, cache: { read: 100, write: 0 } },
      time: { created: ms(3) },
    },
  ],
  [
    'msg_4',
    'compaction',
    4,
    { status: 'completed', reason: 'auto', summary: 'The port is 8080.', recent: '', time: { created: ms(4) } },
  ],
] as const;

const gooseContent = [
  ['user', [{ type: 'text', text: ASKED }]],
  [
    'assistant',
    [
      { type: 'text', text: 'I will look.' },
      { type: 'toolRequest', id: 'c1', toolCall: { status: 'success', value: { name: 'read_file', arguments: ARGS } } },
    ],
  ],
  [
    'user',
    [
      {
        type: 'toolResponse',
        id: 'c1',
        toolResult: { status: 'success', value: { content: [{ type: 'text', text: OUTPUT }], isError: false } },
      },
    ],
  ],
  ['assistant', [{ type: 'text', text: ANSWERED }]],
] as const;

/** Old and current formats of terminal tools. */
export const TERMINAL_TOOLS: readonly ToolFixture[] = [
  {
    tool: 'claude-code',
    format: 'current, with a compaction',
    workspace: '/home/sam/api',
    title: 'The port',
    write: (home) =>
      putFile(
        home,
        '.claude/projects/-home-sam-api/claude-1.jsonl',
        jsonl(...claudeRecords, compacted, { type: 'ai-title', aiTitle: 'The port' }),
      ),
    expected: expectedConversation({ at: [0, 1, 3, 4], model: 'opus', usage: USAGE }),
    compactions: ['This session continues: the port is 8080.'],
  },
  {
    tool: 'claude-code',
    format: 'a subagent’s file',
    write: (home) =>
      putFile(
        home,
        '.claude/projects/-home-sam-api/claude-1/subagents/agent-a1.jsonl',
        jsonl(...claudeRecords.map((record) => ({ ...record, isSidechain: true, agentId: 'a1' }))),
      ),
    expected: expectedConversation({ at: [0, 1, 3, 4], model: 'opus', usage: USAGE }),
  },
  {
    tool: 'codex',
    format: 'current',
    workspace: '/home/sam/api',
    write: (home) =>
      putFile(
        home,
        '.codex/sessions/2026/03/02/rollout-2026-03-02T09-00-00-0195a1b2-0000-7000-8000-000000000001.jsonl',
        jsonl(
          {
            timestamp: iso(0),
            type: 'session_meta',
            payload: { id: '0195a1b2-0000-7000-8000-000000000001', cwd: '/home/sam/api' },
          },
          { timestamp: iso(0), type: 'turn_context', payload: { model: 'gpt-5-codex', cwd: '/home/sam/api' } },
          ...codexItems.map((item, index) => codexItem(index, item)),
          {
            timestamp: iso(5),
            type: 'event_msg',
            payload: {
              type: 'token_count',
              info: { last_token_usage: { input_tokens: 120, cached_input_tokens: 100, output_tokens: 30 } },
            },
          },
          { timestamp: iso(6), type: 'compacted', payload: { message: 'The port is 8080.' } },
        ),
      ),
    expected: codexSaid([0, 1, 2, 3, 4], 'gpt-5-codex', USAGE),
    compactions: ['The port is 8080.'],
  },
  {
    tool: 'codex',
    format: 'of 2025, without envelopes',
    write: (home) =>
      putFile(
        home,
        '.codex/sessions/rollout-2025-05-07-a.jsonl',
        jsonl({ id: 'a', timestamp: iso(0), instructions: '' }, ...codexItems),
      ),
    expected: codexSaid(undefined),
  },
  {
    tool: 'copilot-cli',
    format: 'current, with a compaction',
    workspace: '/home/sam/api',
    title: 'The port',
    write: (home) => {
      putFile(
        home,
        '.copilot/session-state/copilot-1/workspace.yaml',
        'id: copilot-1\ncwd: /home/sam/api\nsummary: The port\n',
      );
      return putFile(
        home,
        '.copilot/session-state/copilot-1/events.jsonl',
        jsonl(
          ...copilotEvents,
          event('session.compaction_complete', 5, { success: true, summaryContent: 'The port is 8080.' }),
        ),
      );
    },
    expected: copilotSaid,
    compactions: ['The port is 8080.'],
  },
  {
    tool: 'copilot-cli',
    format: 'history of 2025',
    write: (home) =>
      putFile(home, '.copilot/history-session-state/session_1.json', {
        sessionId: 'copilot-0',
        startTime: iso(0),
        chatMessages: [
          { role: 'user', content: ASKED },
          {
            role: 'assistant',
            content: 'I will look.',
            tool_calls: [
              { id: 'c1', type: 'function', function: { name: 'read_file', arguments: JSON.stringify(ARGS) } },
            ],
          },
          { role: 'tool', tool_call_id: 'c1', content: OUTPUT },
          { role: 'assistant', content: ANSWERED },
        ],
      }),
    expected: expectedConversation({}),
  },
  {
    tool: 'gemini',
    format: 'session as a document',
    workspace: '/home/sam/api',
    title: 'The port',
    write: (home) => {
      putFile(home, '.gemini/projects.json', { projects: { '/home/sam/api': 'api' } });
      return putFile(home, '.gemini/tmp/api/chats/session-1.json', {
        ...geminiSession,
        summary: 'The port',
        messages: geminiMessages,
      });
    },
    expected: geminiSaid,
  },
  {
    tool: 'gemini',
    format: 'session as JSONL, with a rewind and a message that grew',
    workspace: '/home/sam/api',
    write: (home) => {
      putFile(home, '.gemini/tmp/api/.project_root', '/home/sam/api\n');
      const { toolCalls: _, ...begun } = geminiMessages[1]!;
      return putFile(
        home,
        '.gemini/tmp/api/chats/session-2.jsonl',
        jsonl(
          { ...geminiSession, sessionId: 'gemini-2', kind: 'main' },
          geminiMessages[0]!,
          { id: 'x1', timestamp: iso(0), type: 'user', content: 'Never mind' },
          { $rewindTo: 'x1' },
          begun,
          geminiMessages[1]!,
          geminiMessages[2]!,
          { $set: { lastUpdated: iso(4) } },
        ),
      );
    },
    expected: geminiSaid,
  },
  {
    tool: 'qwen',
    format: 'current, with a compression',
    workspace: '/home/sam/api',
    write: (home) =>
      putFile(
        home,
        '.qwen/projects/-home-sam-api/chats/qwen-1.jsonl',
        jsonl(
          qwen('user', 0, 'user', [{ text: ASKED }]),
          qwen(
            'assistant',
            1,
            'model',
            [
              { text: 'hm', thought: true },
              { text: 'I will look.' },
              { functionCall: { id: 'c1', name: 'read_file', args: ARGS } },
            ],
            { model: 'qwen3' },
          ),
          qwen('tool_result', 2, 'user', [
            { functionResponse: { id: 'c1', name: 'read_file', response: { output: OUTPUT } } },
          ]),
          qwen('assistant', 3, 'model', [{ text: ANSWERED }], {
            model: 'qwen3',
            usageMetadata: { promptTokenCount: 120, candidatesTokenCount: 30, cachedContentTokenCount: 100 },
          }),
          {
            type: 'system',
            subtype: 'chat_compression',
            sessionId: 'qwen-1',
            timestamp: iso(4),
            systemPayload: { compressedHistory: [{ role: 'user', parts: [{ text: 'The port is 8080.' }] }] },
          },
        ),
      ),
    expected: expectedConversation({ at: [0, 1, 2, 3], model: 'qwen3', usage: USAGE }),
    compactions: ['The port is 8080.'],
  },
  {
    tool: 'qwen',
    format: 'of 2025, as Gemini CLI writes it',
    write: (home) =>
      putFile(home, '.qwen/tmp/api/chats/session-1.json', {
        ...geminiSession,
        sessionId: 'qwen-0',
        messages: geminiMessages,
      }),
    expected: geminiSaid,
  },
  {
    tool: 'opencode',
    format: 'database, with a compaction',
    workspace: '/home/sam/api',
    title: 'The port',
    write: (home) => opencodeDatabase(home, '.local/share/opencode/opencode.db'),
    expected: opencodeSaid,
    compactions: ['The port is 8080.'],
  },
  {
    tool: 'opencode',
    format: 'database of version 2, in another release channel',
    workspace: '/home/sam/api',
    title: 'The port',
    write: (home) =>
      database(
        home,
        '.local/share/opencode/opencode-next.db',
        'CREATE TABLE session_v2 (id TEXT, directory TEXT, title TEXT, time_created INTEGER, time_updated INTEGER);' +
          'CREATE TABLE session_message (id TEXT, session_id TEXT, type TEXT, seq INTEGER, time_created INTEGER, data TEXT)',
        {
          session_v2: [['ses_2', '/home/sam/api', 'The port', ms(0), ms(4)]],
          session_message: opencode2Rows.map(([id, type, second, data], index) => [
            id,
            'ses_2',
            type,
            index,
            ms(second),
            JSON.stringify(data),
          ]),
        },
      ),
    expected: opencodeSaid,
    compactions: ['The port is 8080.'],
  },
  {
    tool: 'kilo',
    format: 'database of version 7',
    workspace: '/home/sam/api',
    title: 'The port',
    write: (home) => opencodeDatabase(home, '.local/share/kilo/kilo.db'),
    expected: opencodeSaid,
    compactions: ['The port is 8080.'],
  },
  {
    tool: 'opencode',
    format: 'files of 2025',
    workspace: '/home/sam/api',
    title: 'The port',
    write: (home) => {
      const storage = '.local/share/opencode/storage';
      for (const [id, data, parts] of opencodeMessages) {
        putFile(home, `${storage}/message/ses_0/${id}.json`, { id, sessionID: 'ses_0', ...data });
        for (const [index, part] of parts.entries()) putFile(home, `${storage}/part/${id}/prt_${index}.json`, part);
      }
      return putFile(home, `${storage}/session/abc/ses_0.json`, {
        id: 'ses_0',
        projectID: 'abc',
        directory: '/home/sam/api',
        title: 'The port',
      });
    },
    expected: opencodeSaid,
  },
  {
    tool: 'goose',
    format: 'database',
    workspace: '/home/sam/api',
    title: 'The port',
    write: (home) =>
      database(
        home,
        '.local/share/goose/sessions/sessions.db',
        'CREATE TABLE sessions (id TEXT, name TEXT, description TEXT, working_dir TEXT, created_at TIMESTAMP, updated_at TIMESTAMP);' +
          'CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content_json TEXT, created_timestamp INTEGER)',
        {
          sessions: [['20260302_1', '', 'The port', '/home/sam/api', '2026-03-02 09:00:00', '2026-03-02 09:00:03']],
          messages: gooseContent.map(([role, content], index) => [
            index + 1,
            '20260302_1',
            role,
            JSON.stringify(content),
            ms(index) / 1000,
          ]),
        },
      ),
    expected: expectedConversation({ at: [0, 1, 2, 3] }),
  },
  {
    tool: 'goose',
    format: 'JSONL of 2025',
    workspace: '/home/sam/api',
    title: 'The port',
    write: (home) =>
      putFile(
        home,
        '.local/share/goose/sessions/20250724_1.jsonl',
        jsonl(
          { description: 'The port', working_dir: '/home/sam/api', message_count: 4 },
          ...gooseContent.map(([role, content], index) => ({ role, created: ms(index) / 1000, content })),
        ),
      ),
    expected: expectedConversation({ at: [0, 1, 2, 3] }),
  },
  {
    tool: 'aider',
    format: 'history with two runs',
    title: 'api',
    write: (home) =>
      putFile(
        home,
        'code/api/.aider.chat.history.md',
        `# aider chat started at 2026-03-02 09:00:00\n\n#### ${ASKED}  \n\n${ANSWERED}\n\n# aider chat started at 2026-03-02 10:00:00\n\n#### Thanks  \n`,
      ),
    expected: [
      { role: 'tool', text: '# aider chat started at 2026-03-02 09:00:00', at: ms(0) },
      { role: 'user', text: ASKED, at: ms(0) },
      { role: 'assistant', text: ANSWERED, at: ms(0) },
      { role: 'tool', text: '# aider chat started at 2026-03-02 10:00:00', at: ms(3600) },
      { role: 'user', text: 'Thanks', at: ms(3600) },
    ],
  },
];
