import assert from 'node:assert/strict';
import { inEnglish } from '../../../src/core/text/phrase.ts';
import {
  claudeMessage,
  database,
  iso,
  jsonl,
  ms,
  OPENCODE_TABLES,
  putFile,
  zedThread,
} from '../../support/tool-homes/conversation.ts';
import { homeForEachTest } from '../../support/tool-homes/home-for-each-test.ts';

describe('agents and attachments in other tools', () => {
  let home = '';
  const { readAll, readOnly } = homeForEachTest((folder) => (home = folder));

  it('finds the agents of Claude Code’s workflows, but not the list of their results', async () => {
    const said = (content: string, more: object = {}): object =>
      claudeMessage('user', content, { sessionId: 's1', ...more });
    const project = '.claude/projects/-home-sam-api';
    putFile(home, `${project}/s1.jsonl`, jsonl(said('Which port?')));
    const run = `${project}/s1/subagents/workflows/run-1`;
    putFile(home, `${run}/agent-a1.jsonl`, jsonl(said('Look.', { isSidechain: true, agentId: 'a1' })));
    putFile(home, `${run}/journal.jsonl`, jsonl({ type: 'result', agentId: 'a1', result: '8080.' }));
    const sessions = await readAll('claude-code');
    assert.deepEqual(sessions.map(({ facts }) => [facts.id, facts.parent]).sort(), [
      ['a1', 's1'],
      ['s1', undefined],
    ]);
  });

  it('reads images in messages and tool results of opencode 1, and counts what it skips', async () => {
    const attachments = [
      { type: 'file', mime: 'image/png', url: 'data:image/png;base64,QQ==' },
      { type: 'file', mime: 'application/pdf', url: 'data:application/pdf;base64,QQ==' },
    ];
    const state = { status: 'completed', input: {}, output: 'Read.', attachments };
    const parts = [
      { type: 'tool', tool: 'read', callID: 'c', state },
      { type: 'text', text: 'Called the Read tool.', synthetic: true },
      { type: 'reasoning', text: 'Hm.' },
      attachments[0],
    ];
    database(home, '.local/share/opencode/opencode.db', OPENCODE_TABLES, {
      session: [['ses_1', '/home/sam/api', 'The port', ms(0), ms(1)]],
      message: [['msg_1', 'ses_1', ms(0), JSON.stringify({ role: 'assistant', time: { created: ms(0) } })]],
      part: parts.map((part, at) => [`prt_${at}`, 'msg_1', 'ses_1', ms(0), JSON.stringify(part)]),
    });
    const { messages, skipped } = await readOnly('opencode');
    const image = { type: 'image', mediaType: 'image/png', base64: 'QQ==' };
    assert.deepEqual(messages[0]?.blocks?.slice(1), [image]);
    assert.deepEqual(messages[1]?.blocks, [{ type: 'tool_result', callId: 'c', text: 'Read.', isError: false }, image]);
    const reasons = skipped.map(({ reason }) => inEnglish(reason)).sort();
    assert.deepEqual(reasons, ['attachment of type “application/pdf”', 'context added by the tool', 'model reasoning']);
  });

  it('reads images in Continue’s messages', async () => {
    const content = [
      { type: 'text', text: 'What is this?' },
      { type: 'imageUrl', imageUrl: { url: 'data:image/png;base64,QQ==' } },
    ];
    const history = [{ message: { role: 'user', content }, contextItems: [] }];
    putFile(home, '.continue/sessions/s1.json', { sessionId: 's1', title: 'An image', history });
    const session = await readOnly('continue');
    assert.deepEqual(session.messages[0]?.blocks, [
      { type: 'text', text: 'What is this?' },
      { type: 'image', mediaType: 'image/png', base64: 'QQ==' },
    ]);
  });

  it('does not take the summary of a compaction by Cline’s CLI as the user’s words', async () => {
    const summary = { role: 'user', content: [{ type: 'text', text: 'Context summary:\n\nThe port is 8080.' }] };
    putFile(home, '.cline/data/sessions/s1/s1.messages.json', {
      version: 1,
      messages: [
        { ...summary, metadata: { kind: 'compaction_summary', displayRole: 'system', summary: 'The port is 8080.' } },
        { role: 'user', content: [{ type: 'text', text: 'And the host?' }] },
      ],
    });
    const session = await readOnly('cline');
    const texts = session.messages.map(({ text }) => text);
    assert.deepEqual(texts, ['And the host?']);
    assert.equal(session.compactions[0]?.summary, 'Context summary:\n\nThe port is 8080.');
  });

  it('reads the inputs of Zed’s tool calls, with and without their type', async () => {
    const use = (id: string, input: unknown): object => ({ ToolUse: { id, name: 'read_file', raw_input: '', input } });
    const inputs = [{ path: 'a.ts' }, { type: 'json', value: { path: 'b.ts' } }, { type: 'text', value: 'c.ts' }];
    const content = inputs.map((input, at) => use(`c${at}`, input));
    zedThread(home, { version: '0.3.0', messages: [{ Agent: { content, tool_results: {} } }] });
    const session = await readOnly('zed');
    assert.deepEqual(
      session.messages[0]?.blocks?.map((block) => block.type === 'tool_call' && block.json),
      ['{"path":"a.ts"}', '{"path":"b.ts"}', 'c.ts'],
    );
  });

  it('reads Zed’s compactions with their summaries, which some providers encrypt', async () => {
    const said = (text: string): object => ({ User: { id: text, content: [{ Text: text }] } });
    const encrypted = { ProviderNative: { provider: 'openai', items: [{ type: 'compaction' }] } };
    const compactions = [{ Summary: 'One was asked.' }, encrypted].map((one) => ({ Compaction: one }));
    zedThread(home, { version: '0.3.0', messages: [said('One?'), compactions[0], said('Two?'), compactions[1]] });
    const session = await readOnly('zed');
    assert.deepEqual(
      session.compactions.map(({ before, summary }) => `${before} ${summary}`),
      ['1 One was asked.', '2 '],
    );
    assert.deepEqual(session.skipped, []);
  });

  it('lists a session of Gemini CLI once that was copied to another format', async () => {
    const session = { sessionId: 'g1', projectHash: 'abc', startTime: iso(0) };
    const asked = { id: 'm1', timestamp: iso(0), type: 'user', content: 'Which port?' };
    const chats = '.gemini/tmp/abc/chats';
    putFile(home, `${chats}/session-1.json`, { ...session, messages: [asked] });
    putFile(home, `${chats}/session-1.jsonl`, jsonl(session, asked, { ...asked, id: 'm2', content: 'And the host?' }));
    putFile(home, `${chats}/session-2.json`, { ...session, sessionId: 'g2', messages: [asked] });
    assert.deepEqual((await readAll('gemini')).map(({ messages }) => messages.length).sort(), [1, 2]);
  });

  it('reads the output of Goose’s tools once, although it is also stored for the user', async () => {
    const part = (text: string, ...audience: readonly string[]): object => ({
      type: 'text',
      text,
      ...(audience.length > 0 && { annotations: { audience } }),
    });
    const outputs = [
      [part('a.ts', 'assistant'), part('a.ts', 'user'), part('Done.')],
      [part('For both.', 'user', 'assistant')],
      [part('For the user.', 'user')],
    ];
    const toolResult = (content: object): object => ({ status: 'success', value: { content, isError: false } });
    const records = outputs.map((content, at) => ({
      ...{ role: 'user', created: 1 },
      content: [{ type: 'toolResponse', id: `c${at}`, toolResult: toolResult(content) }],
    }));
    putFile(home, '.local/share/goose/sessions/g1.jsonl', jsonl({ description: 'Files' }, ...records));
    const session = await readOnly('goose');
    const texts = session.messages.map(({ text }) => text);
    assert.deepEqual(texts, ['a.ts\nDone.', 'For both.', 'For the user.']);
  });

  it('takes the name of a Copilot CLI session, which may take several lines, or else its summary', async () => {
    const yamls = [
      'name: Ports\nuser_named: true\nsummary: Looking for ports\n',
      'id: s\nname: >-\n  Which port does the gateway use,\n  and on which host?\nuser_named: false\n',
      'summary: "Ports: a list"\n',
    ];
    for (const [at, yaml] of yamls.entries()) {
      const folder = `.copilot/session-state/s${at}`;
      putFile(home, `${folder}/workspace.yaml`, yaml);
      putFile(home, `${folder}/events.jsonl`, jsonl({ type: 'user.message', data: { content: 'Which port?' } }));
    }
    assert.deepEqual((await readAll('copilot-cli')).map(({ facts }) => facts.title).sort(), [
      'Ports',
      'Ports: a list',
      'Which port does the gateway use, and on which host?',
    ]);
  });
});
