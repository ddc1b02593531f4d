import {
  ANSWERED,
  ARGS,
  ASKED,
  CALL,
  copilotEvents,
  copilotSaid,
  databaseOf,
  event,
  type ExpectedMessage,
  expectedConversation,
  fileOf,
  IN_API,
  iso,
  jsonl,
  ms,
  OPENAI_CALL,
  OPENCODE_TABLES,
  OUTPUT,
  putFile,
  SUMMARY,
  text,
  TITLED,
  type ToolFixture,
  USAGE,
  WILL_LOOK,
} from './conversation.ts';

const claudeUsage = { input_tokens: 20, cache_read_input_tokens: 100, output_tokens: 30 };
const claude = (type: string, second: number, message: object, more: object = {}): object => ({
  ...{ type, sessionId: 'claude-1', cwd: '/home/sam/api', timestamp: iso(second), uuid: `u${second}` },
  ...{ message, ...more },
});
const claudeReply = (second: number, id: string, block: object, more: object = {}): object =>
  claude('assistant', second, { id, role: 'assistant', model: 'opus', content: [block], ...more });
export const claudeRecords = [
  claude('user', 0, { role: 'user', content: ASKED }),
  claudeReply(1, 'm1', WILL_LOOK),
  claudeReply(2, 'm1', { type: 'tool_use', id: 'c1', name: 'read_file', input: ARGS }),
  claude('user', 3, { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: OUTPUT }] }),
  claudeReply(4, 'm2', text(ANSWERED), { usage: claudeUsage }),
];
const CONTINUES = 'This session continues: the port is 8080.';
const compacted = claude('user', 5, { role: 'user', content: CONTINUES }, { isCompactSummary: true });

const codexLine = (second: number, type: string, payload: object): object => ({
  timestamp: iso(second),
  type,
  payload,
});
const codexItems = [
  { type: 'message', role: 'user', content: [{ type: 'input_text', text: ASKED }] },
  { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I will look.' }] },
  { type: 'function_call', name: 'read_file', arguments: JSON.stringify(ARGS), call_id: 'c1' },
  { type: 'function_call_output', call_id: 'c1', output: OUTPUT },
  { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: ANSWERED }] },
];
const CODEX_ID = '0195a1b2-0000-7000-8000-000000000001';
const codexUsage = { last_token_usage: { input_tokens: 120, cached_input_tokens: 100, output_tokens: 30 } };
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

const READ = { id: 'c1', name: 'read_file' };
const answered = { functionResponse: { ...READ, response: { output: OUTPUT } } };
const geminiCall = { ...READ, args: ARGS, status: 'success', result: [answered] };
const geminiReply = (id: string, second: number, content: unknown, more: object): object => ({
  ...{ id, timestamp: iso(second), type: 'gemini', content, model: 'gemini-3-pro', ...more },
});
const geminiAsked = { id: 'g1', timestamp: iso(0), type: 'user', content: ASKED };
/** A reply that is still being written. */
const geminiBegun = geminiReply('g2', 1, [{ text: 'I will look.' }], {});
const geminiMessages = [
  geminiAsked,
  { ...geminiBegun, toolCalls: [geminiCall] },
  geminiReply('g3', 3, ANSWERED, { tokens: { input: 120, output: 30, cached: 100, total: 150 } }),
];
const geminiSession = { sessionId: 'gemini-1', projectHash: 'abc', startTime: iso(0), lastUpdated: iso(3) };
const geminiSaid = expectedConversation({ at: [0, 1, 1, 3], model: 'gemini-3-pro', usage: USAGE });

const qwen = (type: string, second: number, role: string, parts: readonly object[], more: object = {}): object => ({
  ...{ type, sessionId: 'qwen-1', cwd: '/home/sam/api', timestamp: iso(second) },
  ...{ message: { role, parts }, ...more },
});
const qwenLooks = [{ text: 'hm', thought: true }, { text: 'I will look.' }, { functionCall: { ...READ, args: ARGS } }];
const qwenUsage = { promptTokenCount: 120, candidatesTokenCount: 30, cachedContentTokenCount: 100 };
const qwenCompression = {
  ...{ type: 'system', subtype: 'chat_compression', sessionId: 'qwen-1', timestamp: iso(4) },
  systemPayload: { compressedHistory: [{ role: 'user', parts: [{ text: SUMMARY }] }] },
};

const opencodeTokens = { input: 20, output: 30, reasoning: 0, cache: { read: 100, write: 0 } };
const opencodeState = { status: 'completed', input: ARGS, output: OUTPUT };
const opencodeTool = { type: 'tool', tool: 'read_file', callID: 'c1', state: opencodeState };
const opencodeReply = (second: number): object => ({ ...{ role: 'assistant', modelID: 'gpt-5' }, ...created(second) });
const created = (second: number): object => ({ time: { created: ms(second) } });
const opencodeMessages: readonly (readonly [id: string, data: object, parts: readonly object[]])[] = [
  ['msg_1', { role: 'user', ...created(0) }, [text(ASKED)]],
  ['msg_2', opencodeReply(1), [WILL_LOOK, opencodeTool]],
  ['msg_3', { ...opencodeReply(3), tokens: opencodeTokens }, [text(ANSWERED)]],
];
const opencodeUsage = { ...USAGE, cacheWrite: 0, reasoning: 0 };
const opencodeSaid = expectedConversation({ at: [0, 1, 1, 3], model: 'gpt-5', usage: opencodeUsage });
const opencodeSummary = JSON.stringify({ role: 'assistant', summary: true, ...created(4) });

const opencodeDatabase = (name: string) =>
  databaseOf(name, OPENCODE_TABLES, {
    session: [['ses_1', '/home/sam/api', 'The port', ms(0), ms(3)]],
    message: [
      ...opencodeMessages.map(([id, data], index) => [id, 'ses_1', ms(index), JSON.stringify(data)]),
      ['msg_4', 'ses_1', ms(4), opencodeSummary],
    ],
    part: [
      ...opencodeMessages.flatMap(([message, , parts]) =>
        parts.map((part, index) => [`prt_${message}_${index}`, message, 'ses_1', ms(index), JSON.stringify(part)]),
      ),
      ['prt_9', 'msg_4', 'ses_1', ms(4), JSON.stringify(text(SUMMARY))],
    ],
  });

const MODEL = { id: 'gpt-5', providerID: 'openai' };
const opencode2State = { status: 'completed', input: ARGS, content: [text(OUTPUT)] };
const opencode2Tool = { type: 'tool', id: 'c1', name: 'read_file', state: opencode2State, ...created(1) };
const BY_MODEL = { agent: 'build', model: MODEL };
const opencode2Rows: readonly (readonly [id: string, type: string, second: number, data: object])[] = [
  ['msg_1', 'user', 0, { text: ASKED }],
  ['msg_s', 'model-switched', 0, { model: MODEL }],
  ['msg_2', 'assistant', 1, { ...BY_MODEL, content: [{ type: 'reasoning', text: 'hm' }, WILL_LOOK, opencode2Tool] }],
  ['msg_3', 'assistant', 3, { ...BY_MODEL, content: [text(ANSWERED)], tokens: opencodeTokens }],
  ['msg_4', 'compaction', 4, { status: 'completed', reason: 'auto', summary: SUMMARY, recent: '' }],
];

const gooseCall = { status: 'success', value: { name: 'read_file', arguments: ARGS } };
const gooseResult = { status: 'success', value: { content: [text(OUTPUT)], isError: false } };
const gooseContent: readonly (readonly [role: string, content: readonly object[]])[] = [
  ['user', [text(ASKED)]],
  ['assistant', [WILL_LOOK, { type: 'toolRequest', id: 'c1', toolCall: gooseCall }]],
  ['user', [{ type: 'toolResponse', id: 'c1', toolResult: gooseResult }]],
  ['assistant', [text(ANSWERED)]],
];

const RUN = '# aider chat started at 2026-03-02';

export const TERMINAL_TOOLS: readonly ToolFixture[] = [
  {
    ...{ tool: 'claude-code', format: 'current, with a compaction', ...TITLED },
    write: fileOf(
      '.claude/projects/-home-sam-api/claude-1.jsonl',
      jsonl(...claudeRecords, compacted, { type: 'ai-title', aiTitle: 'The port' }),
    ),
    expected: expectedConversation({ at: [0, 1, 3, 4], model: 'opus', usage: USAGE }),
    compactions: [CONTINUES],
  },
  {
    ...{ tool: 'claude-code', format: 'a subagent’s file' },
    write: fileOf(
      '.claude/projects/-home-sam-api/claude-1/subagents/agent-a1.jsonl',
      jsonl(...claudeRecords.map((record) => ({ ...record, isSidechain: true, agentId: 'a1' }))),
    ),
    expected: expectedConversation({ at: [0, 1, 3, 4], model: 'opus', usage: USAGE }),
  },
  {
    ...{ tool: 'codex', format: 'current', ...IN_API },
    write: fileOf(
      `.codex/sessions/2026/03/02/rollout-2026-03-02T09-00-00-${CODEX_ID}.jsonl`,
      jsonl(
        codexLine(0, 'session_meta', { id: CODEX_ID, cwd: '/home/sam/api' }),
        codexLine(0, 'turn_context', { model: 'gpt-5-codex', cwd: '/home/sam/api' }),
        ...codexItems.map((item, index) => codexLine(index, 'response_item', item)),
        codexLine(5, 'event_msg', { type: 'token_count', info: codexUsage }),
        codexLine(6, 'compacted', { message: SUMMARY }),
      ),
    ),
    expected: codexSaid([0, 1, 2, 3, 4], 'gpt-5-codex', USAGE),
    compactions: [SUMMARY],
  },
  {
    ...{ tool: 'codex', format: 'of 2025, without envelopes' },
    write: fileOf(
      '.codex/sessions/rollout-2025-05-07-a.jsonl',
      jsonl({ id: 'a', timestamp: iso(0), instructions: '' }, ...codexItems),
    ),
    expected: codexSaid(undefined),
  },
  {
    ...{ tool: 'copilot-cli', format: 'current, with a compaction', ...TITLED },
    write: (home) => {
      const folder = '.copilot/session-state/copilot-1';
      putFile(home, `${folder}/workspace.yaml`, 'id: copilot-1\ncwd: /home/sam/api\nsummary: The port\n');
      const compaction = event('session.compaction_complete', 5, { success: true, summaryContent: SUMMARY });
      return putFile(home, `${folder}/events.jsonl`, jsonl(...copilotEvents, compaction));
    },
    expected: copilotSaid,
    compactions: [SUMMARY],
  },
  {
    ...{ tool: 'copilot-cli', format: 'history of 2025' },
    write: fileOf('.copilot/history-session-state/session_1.json', {
      ...{ sessionId: 'copilot-0', startTime: iso(0) },
      chatMessages: [
        { role: 'user', content: ASKED },
        { role: 'assistant', content: 'I will look.', tool_calls: [OPENAI_CALL] },
        { role: 'tool', tool_call_id: 'c1', content: OUTPUT },
        { role: 'assistant', content: ANSWERED },
      ],
    }),
    expected: expectedConversation({}),
  },
  {
    ...{ tool: 'gemini', format: 'session as a document', ...TITLED },
    write: (home) => {
      putFile(home, '.gemini/projects.json', { projects: { '/home/sam/api': 'api' } });
      const session = { ...geminiSession, summary: 'The port', messages: geminiMessages };
      return putFile(home, '.gemini/tmp/api/chats/session-1.json', session);
    },
    expected: geminiSaid,
  },
  {
    ...{ tool: 'gemini', format: 'session as JSONL, with a rewind and a message that grew', ...IN_API },
    write: (home) => {
      putFile(home, '.gemini/tmp/api/.project_root', '/home/sam/api\n');
      const undone = [{ id: 'x1', timestamp: iso(0), type: 'user', content: 'Never mind' }, { $rewindTo: 'x1' }];
      const start = { ...geminiSession, sessionId: 'gemini-2', kind: 'main' };
      const rest = [geminiBegun, ...geminiMessages.slice(1), { $set: { lastUpdated: iso(4) } }];
      return putFile(home, '.gemini/tmp/api/chats/session-2.jsonl', jsonl(start, geminiAsked, ...undone, ...rest));
    },
    expected: geminiSaid,
  },
  {
    ...{ tool: 'qwen', format: 'current, with a compression', ...IN_API },
    write: fileOf(
      '.qwen/projects/-home-sam-api/chats/qwen-1.jsonl',
      jsonl(
        qwen('user', 0, 'user', [{ text: ASKED }]),
        qwen('assistant', 1, 'model', qwenLooks, { model: 'qwen3' }),
        qwen('tool_result', 2, 'user', [answered]),
        qwen('assistant', 3, 'model', [{ text: ANSWERED }], { model: 'qwen3', usageMetadata: qwenUsage }),
        qwenCompression,
      ),
    ),
    expected: expectedConversation({ at: [0, 1, 2, 3], model: 'qwen3', usage: USAGE }),
    compactions: [SUMMARY],
  },
  {
    ...{ tool: 'qwen', format: 'of 2025, as Gemini CLI writes it' },
    write: fileOf('.qwen/tmp/api/chats/session-1.json', {
      ...geminiSession,
      sessionId: 'qwen-0',
      messages: geminiMessages,
    }),
    expected: geminiSaid,
  },
  {
    ...{ tool: 'opencode', format: 'database, with a compaction', ...TITLED },
    write: opencodeDatabase('.local/share/opencode/opencode.db'),
    expected: opencodeSaid,
    compactions: [SUMMARY],
  },
  {
    ...{ tool: 'opencode', format: 'database of version 2, in another release channel', ...TITLED },
    write: databaseOf(
      '.local/share/opencode/opencode-next.db',
      'CREATE TABLE session_v2 (id TEXT, directory TEXT, title TEXT, time_created INTEGER, time_updated INTEGER);' +
        'CREATE TABLE session_message (id TEXT, session_id TEXT, type TEXT, seq INTEGER, time_created INTEGER, data TEXT)',
      {
        session_v2: [['ses_2', '/home/sam/api', 'The port', ms(0), ms(4)]],
        session_message: opencode2Rows.map(([id, type, second, data], index) => [
          ...[id, 'ses_2', type, index, ms(second)],
          JSON.stringify({ ...data, ...created(second) }),
        ]),
      },
    ),
    expected: opencodeSaid,
    compactions: [SUMMARY],
  },
  {
    ...{ tool: 'kilo', format: 'database of version 7', ...TITLED },
    write: opencodeDatabase('.local/share/kilo/kilo.db'),
    expected: opencodeSaid,
    compactions: [SUMMARY],
  },
  {
    ...{ tool: 'opencode', format: 'files of 2025', ...TITLED },
    write: (home) => {
      const storage = '.local/share/opencode/storage';
      for (const [id, data, parts] of opencodeMessages) {
        putFile(home, `${storage}/message/ses_0/${id}.json`, { id, sessionID: 'ses_0', ...data });
        for (const [index, part] of parts.entries()) putFile(home, `${storage}/part/${id}/prt_${index}.json`, part);
      }
      const session = { id: 'ses_0', projectID: 'abc', directory: '/home/sam/api', title: 'The port' };
      return putFile(home, `${storage}/session/abc/ses_0.json`, session);
    },
    expected: opencodeSaid,
  },
  {
    ...{ tool: 'goose', format: 'database', ...TITLED },
    write: databaseOf(
      '.local/share/goose/sessions/sessions.db',
      'CREATE TABLE sessions (id TEXT, name TEXT, description TEXT, working_dir TEXT, created_at TIMESTAMP, updated_at TIMESTAMP);' +
        'CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content_json TEXT, created_timestamp INTEGER)',
      {
        sessions: [['20260302_1', '', 'The port', '/home/sam/api', '2026-03-02 09:00:00', '2026-03-02 09:00:03']],
        messages: gooseContent.map(([role, content], index) => [
          ...[index + 1, '20260302_1', role, JSON.stringify(content), ms(index) / 1000],
        ]),
      },
    ),
    expected: expectedConversation({ at: [0, 1, 2, 3] }),
  },
  {
    ...{ tool: 'goose', format: 'JSONL of 2025', ...TITLED },
    write: fileOf(
      '.local/share/goose/sessions/20250724_1.jsonl',
      jsonl(
        { description: 'The port', working_dir: '/home/sam/api', message_count: 4 },
        ...gooseContent.map(([role, content], index) => ({ role, created: ms(index) / 1000, content })),
      ),
    ),
    expected: expectedConversation({ at: [0, 1, 2, 3] }),
  },
  {
    ...{ tool: 'aider', format: 'history with two runs', title: 'api' },
    write: fileOf(
      'code/api/.aider.chat.history.md',
      `${RUN} 09:00:00\n\n#### ${ASKED}  \n\n${ANSWERED}\n\n${RUN} 10:00:00\n\n#### Thanks  \n`,
    ),
    expected: [
      { role: 'tool', text: `${RUN} 09:00:00`, at: ms(0) },
      { role: 'user', text: ASKED, at: ms(0) },
      { role: 'assistant', text: ANSWERED, at: ms(0) },
      { role: 'tool', text: `${RUN} 10:00:00`, at: ms(3600) },
      { role: 'user', text: 'Thanks', at: ms(3600) },
    ],
  },
];
