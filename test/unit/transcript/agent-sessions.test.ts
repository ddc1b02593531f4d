import assert from 'node:assert/strict';
import { ClaudeCodeImporter } from '../../../src/core/transcript/claude-code.ts';
import { TranscriptSink } from '../../../src/core/transcript/transcript-message.ts';
import { importRecords, importTranscript } from '../../support/import-transcript.ts';

describe('importing a Claude Code session', () => {
  it('keeps replies without an id separate, and counts reasoning and non-message records as skipped', () => {
    const records = [
      { type: 'user', message: { role: 'user', content: 'Which port?' } },
      { type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text: 'I look.' }] } },
      { type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text: '8080.' }] } },
      { type: 'assistant', message: { id: 'm1', content: [{ type: 'thinking', thinking: 'Hm.' }] } },
      { type: 'assistant', message: { id: 'm2', content: [{ type: 'text', text: 'Or 80.' }] } },
      { type: 'user', message: { role: 'user', content: [] } },
      { type: 'user', message: { role: 'user', content: null } },
      { type: 'assistant', message: { id: 'm3', content: 7 } },
      { message: 'untyped' },
      3,
    ];
    const { said, skipped } = importRecords('claude-code', records);
    assert.deepEqual(said, ['user: Which port?', 'assistant: I look.', 'assistant: 8080.', 'assistant: Or 80.']);
    assert.deepEqual(skipped, {
      'model reasoning': 1,
      'message without readable content': 3,
      'record of type “unknown”': 1,
      'invalid record': 1,
    });
  });

  it('keeps all messages if none is linked to another', () => {
    const records = ['Which port?', '8080.', 'And the host?', 'It is local.'].map((content, index) => ({
      ...{ type: index % 2 === 0 ? 'user' : 'assistant', uuid: `u${index}`, parentUuid: null },
      message: { id: `m${index}`, content },
    }));
    const { said, skipped } = importRecords('claude-code', records);
    assert.deepEqual(said, ['user: Which port?', 'assistant: 8080.', 'user: And the host?', 'assistant: It is local.']);
    assert.deepEqual(skipped, {});
  });

  it('takes the user’s title, although the model’s is written after it, or else the newest of the model', () => {
    const titleOf = (...records: readonly object[]): string | undefined => {
      const sink = new TranscriptSink();
      const importer = new ClaudeCodeImporter(sink);
      for (const record of records) importer.record(record);
      return sink.facts.title;
    };
    const summary = { type: 'summary', summary: 'Looking for a port' };
    const custom = { type: 'custom-title', customTitle: 'The port' };
    const [first, second] = ['Port', 'Port of the gateway'].map((aiTitle) => ({ type: 'ai-title', aiTitle }));
    assert.equal(titleOf(first!, custom, second!, summary), 'The port');
    assert.equal(titleOf(custom, { ...custom, customTitle: 'Ports' }, first!), 'Ports');
    assert.equal(titleOf(summary, first!, second!), 'Port of the gateway');
    assert.equal(titleOf({ ...custom, customTitle: '' }, first!), 'Port');
  });

  it('does not take a model named “local” for the local provider, whose replies are left out', () => {
    const reply = { id: 'm', model: 'local', content: [{ type: 'text', text: 'We decided to use port 5433.' }] };
    const sink = new TranscriptSink();
    const importer = new ClaudeCodeImporter(sink);
    importer.record({ type: 'assistant', message: reply });
    importer.flush();
    assert.deepEqual(sink.take().messages, [{ role: 'assistant', text: 'We decided to use port 5433.' }]);
  });

  it('counts the usage of a reply once if it continues after a tool result, and can resume reading there', () => {
    const part = (content: object, output: number): object => ({
      type: 'assistant',
      message: { id: 'm1', content: [content], usage: { input_tokens: 100, output_tokens: output } },
    });
    const call = (id: string): object => ({ type: 'tool_use', id, name: 'Read', input: { id } });
    const result = (id: string): object => ({
      type: 'user',
      message: { content: [{ type: 'tool_result', tool_use_id: id, content: `Result ${id}` }] },
    });
    const sink = new TranscriptSink();
    const importer = new ClaudeCodeImporter(sink);
    for (const record of [part(call('a'), 1), result('a'), part(call('b'), 40), result('b')]) importer.record(record);
    assert.equal(importer.isSettled, true);
    const messages = sink.take().messages.map(({ role, text, usage }) => [role, text, usage?.input, usage?.output]);
    assert.deepEqual(messages, [
      ['assistant', 'Read {"id":"a"}', 100, 1],
      ['tool', 'Result a', undefined, undefined],
      ['assistant', 'Read {"id":"b"}', 0, 39],
      ['tool', 'Result b', undefined, undefined],
    ]);
  });

  it('takes the reason for which the user rejected a tool call as the user’s words', () => {
    const rejected =
      "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. not written).";
    const told = `${rejected} To tell you how to proceed, the user said:`;
    const because = `${rejected} The user provided the following reason for the rejection:`;
    const questions = 'The user wants to clarify these questions.\n    Questions asked:\n- "Never use port 80?"';
    const stopped = `${rejected} STOP what you are doing and wait for the user to tell you how to proceed.`;
    const note = "Note: The user's next message may contain a correction or preference. Pay close attention.";
    const result = (content: string, isError = true): object => ({
      type: 'user',
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content, is_error: isError }] },
    });
    const { said } = importRecords('claude-code', [
      { type: 'user', message: { role: 'user', content: 'Which port?' } },
      result(`${told}\nNever use port 80.\n\nUse 8080.`),
      result(`${told}\nUse 8080.\n\n${note}`),
      result(`${stopped}\n\n${note}`),
      result(`${told}\nUse 8080.`, false),
      result(`${because}  Use 8080.\nNo reason for the rejection: nine.`),
      result(`${told}\n${questions}`),
    ]);
    assert.deepEqual(said, [
      'user: Which port?',
      `tool: ${told}`,
      'user: Never use port 80.\n\nUse 8080.',
      `tool: ${told}`,
      'user: Use 8080.',
      `tool: ${stopped}\n\n${note}`,
      `tool: ${told}\nUse 8080.`,
      `tool: ${because}`,
      'user: Use 8080.\nNo reason for the rejection: nine.',
      `tool: ${told}\n${questions}`,
    ]);
  });

  it('imports prompts that were queued while the model was working, once, but not as the user’s if a tool wrote them', () => {
    const queued = (prompt: unknown, more: object = {}): object => ({
      type: 'attachment',
      attachment: { type: 'queued_command', prompt, commandMode: 'prompt', ...more },
    });
    const records = [
      { type: 'user', uuid: 'u1', message: { role: 'user', content: 'Which port?' } },
      { type: 'assistant', message: { id: 'm1', content: [{ type: 'tool_use', id: 'a', name: 'Read', input: {} }] } },
      queued('And which host?', { origin: { kind: 'human' } }),
      queued([{ type: 'text', text: 'Of the gateway.' }]),
      queued('Which port?', { source_uuid: 'u1' }),
      queued('Keep going.', { isMeta: true }),
      queued('<task-notification>done</task-notification>', { commandMode: 'task-notification' }),
      queued('The other session asks for the port.', { origin: { kind: 'peer', from: 's2' } }),
      { type: 'user', origin: { kind: 'task-notification' }, message: { role: 'user', content: 'Task b is done.' } },
      { type: 'user', origin: { kind: 'peer', from: 's2' }, message: { role: 'user', content: 'The port, please.' } },
      { type: 'assistant', message: { id: 'm2', content: [{ type: 'text', text: '8080 on localhost.' }] } },
    ];
    const { said, skipped } = importRecords('claude-code', records);
    assert.deepEqual(said, [
      'user: Which port?',
      'assistant: Read {}',
      'user: And which host?',
      'user: Of the gateway.',
      'tool: Task b is done.',
      'tool: The port, please.',
      'assistant: 8080 on localhost.',
    ]);
    assert.deepEqual(skipped, { 'record of type “attachment”': 3 });
  });
});

describe('importing a Qwen Code session', () => {
  const said = (uuid: string, parentUuid: string | null, role: string, text: string): object => ({
    type: role,
    uuid,
    parentUuid,
    message: { role, parts: [{ text }] },
  });
  const rewind = (parentUuid: string | null): object => ({
    type: 'system',
    subtype: 'rewind',
    uuid: 'r',
    parentUuid,
    systemPayload: { truncatedCount: 2 },
  });
  const read = (...records: readonly object[]): readonly string[] => importRecords('qwen', records).said;
  const FIRST = [said('u1', null, 'user', 'A'), said('a1', 'u1', 'assistant', 'To A')];
  const SECOND = [said('u2', 'a1', 'user', 'B'), said('a2', 'u2', 'assistant', 'To B')];

  it('omits turns before which the user went back', () => {
    const third = [said('u3', 'r', 'user', 'C')];
    assert.deepEqual(read(...FIRST, ...SECOND, rewind('a1')), ['user: A', 'assistant: To A']);
    assert.deepEqual(read(...FIRST, ...SECOND, rewind('a1'), ...third), ['user: A', 'assistant: To A', 'user: C']);
    assert.deepEqual(read(...FIRST, ...SECOND, rewind(null), ...third), ['user: C']);
  });

  it('keeps all turns if the record that the user went back to is missing', () =>
    assert.equal(read(...FIRST, ...SECOND, rewind('lost')).length, 4));
});

describe('importing a Copilot session', () => {
  it('skips subagents’ messages, and does not take what the tool writes as the user’s', () => {
    const said = (type: string, content: string, more: object = {}, agent: object = {}): object => ({
      type,
      data: { content, ...more },
      ...agent,
    });
    const records = [
      { type: 'session.start', data: { version: 1, sessionId: 's' } },
      said('user.message', 'Which port?', { source: 'user' }),
      said('user.message', 'Look at the ports.', { source: 'agent-7' }, { agentId: '7' }),
      said('assistant.message', 'I look.', {}, { agentId: '7' }),
      said('user.message', 'How to read PDFs', { source: 'skill-pdf' }),
      said('user.message', 'Continue.', { isAutopilotContinuation: true }),
      said('assistant.message', '8080.'),
    ];
    const read = importRecords('copilot', records);
    assert.deepEqual(read.said, ['user: Which port?', 'assistant: 8080.']);
    assert.deepEqual(read.skipped, { 'subagent message': 2, 'instruction added by the tool': 2 });
  });

  it('takes the user’s request without the context that VS Code adds before and after it', () => {
    const reminder = '<reminder>\nNever run in the background.\n</reminder>';
    const request = (text: string): string =>
      `${text}\n ${reminder}\n<attachments>\n</attachments>\n<userRequest>\n${text}\n</userRequest>\n\n\n${reminder}`;
    const quoted = 'What does <userRequest>\nWhich port?\n</userRequest> mean?';
    const message = (content: string): object => ({ type: 'user.message', data: { content } });
    const pasted = 'Improve this prompt:\n<userRequest>\nWhich port?\n</userRequest>';
    const added = request('').trimStart().replace('\n\n</userRequest>', '\nWhich port?\n</userRequest>');
    const records = [request('Which port?'), request(quoted), quoted, pasted, added].map(message);
    const { said } = importRecords('copilot', records);
    const asked = 'user: Which port?';
    assert.deepEqual(said, [asked, `user: ${quoted}`, `user: ${quoted}`, `user: ${pasted}`, asked]);
  });

  it('reads tool calls that no message lists', () => {
    const start = (toolCallId: string): object => ({
      type: 'tool.execution_start',
      data: { toolCallId, toolName: 'view', arguments: { path: 'a.ts' } },
    });
    const listed = { toolCallId: 'a', name: 'view', arguments: {} };
    const { content } = importRecords('copilot', [
      { type: 'session.start', data: { version: 1, sessionId: 's' } },
      { type: 'assistant.message', data: { content: '', toolRequests: [listed] } },
      start('a'),
      start('b'),
    ]);
    assert.deepEqual(
      content.flat().map((block) => 'callId' in block && block.callId),
      ['a', 'b'],
    );
  });

  it('reads images of tool results, and counts those that are stored elsewhere', () => {
    const images = [
      { type: 'image', data: 'QQ==', mimeType: 'image/png' },
      { type: 'image', assetId: 'a', byteLength: 9, mimeType: 'image/png' },
    ];
    const result = { content: 'A screenshot.', binaryResultsForLlm: images };
    const records = [
      { type: 'session.start', data: { version: 1, sessionId: 's' } },
      { type: 'tool.execution_complete', data: { toolCallId: 'c', success: true, result } },
    ];
    const { content, skipped } = importRecords('copilot', records);
    assert.deepEqual(content[0], [
      { type: 'tool_result', callId: 'c', text: 'A screenshot.', isError: false },
      { type: 'image', mediaType: 'image/png', base64: 'QQ==' },
    ]);
    assert.deepEqual(skipped, { 'linked image': 1 });
  });

  it('silently skips events that only frame the conversation, and counts unknown events by type', () => {
    const records = [
      { type: 'session.start', data: { version: 1, sessionId: 's' } },
      ...['hook.start', 'permission.requested', 'pending_messages.modified'].map((type) => ({ type, data: {} })),
      { type: 'weather.changed', data: {} },
      { type: 'user.message', data: { content: 'Which port?' } },
      { type: 'user.message' },
    ];
    const { said, skipped } = importRecords('copilot', records);
    assert.deepEqual(said, ['user: Which port?']);
    assert.deepEqual(skipped, { 'record of type “weather.changed”': 1, 'invalid record': 1 });
  });
});

describe('importing a task of Cline', () => {
  it('reads a file that was selected as the chat in Cline’s folder', () => {
    const user = (...texts: readonly string[]): object => ({
      role: 'user',
      content: [...texts, '<environment_details>\n</environment_details>'].map((text) => ({ type: 'text', text })),
      ts: 1_767_225_600_000,
    });
    const task = [user('<task>\nWhich port?\n</task>'), user("[read_file for 'a.ts'] Result:\nport = 8080")];
    const { said, moments, skipped } = importTranscript('messages', JSON.stringify(task));
    assert.deepEqual(said, ['user: Which port?', "tool: [read_file for 'a.ts'] Result:\nport = 8080"]);
    assert.deepEqual(moments, [1_767_225_600_000, 1_767_225_600_000]);
    assert.deepEqual(skipped, { 'context added by the tool': 2 });
  });
});

describe('importing a SpecStory history', () => {
  it('ends an unbalanced tool block at the next end tag, and leaves an unclosed one in the reply', () => {
    const text = `<!-- Generated by SpecStory -->
# A session
A preface of somebody.
_**Human**_
Look.
---
_**Agent (2026-03-02 09:00Z)**_
Looking.
<tool-use data-tool-name="Bash"><details>
<tool-use data-tool-name="quoted"><details>
</details></tool-use>
It says so.
<tool-use data-tool-name="Read"><details>
cut off`;
    const { said, moments, skipped } = importTranscript('specstory', text);
    assert.deepEqual(said, [
      'user: Look.',
      'assistant: Looking.',
      'tool: <tool-use data-tool-name="Bash"><details>\n<tool-use data-tool-name="quoted"><details>\n</details></tool-use>',
      'assistant: It says so.\n<tool-use data-tool-name="Read"><details>\ncut off',
    ]);
    assert.deepEqual(moments, [undefined, ...Array.from({ length: 3 }, () => Date.UTC(2026, 2, 2, 9))]);
    assert.deepEqual(skipped, { 'text before the first message': 1 });
  });

  it('reads the tool calls of older files as messages, whose steps have headers or are separated', () => {
    const text = `## SpecStory

_**User**_

Look.

---

_**Agent (claude-sonnet-4)**_

Tool use: **Read** \`./a.md\`

Result:

\`\`\`
A

---

B
\`\`\`

_**Assistant**_

I look.

---

And:

---

\`\`\`bash
ls
\`\`\`

\`\`\`
a.md
\`\`\`

---

Found.

---

_****_

Read file: a.md

---

_****_

\`\`\`diff
+ 1
\`\`\`

---

_****_

Done.

---
`;
    assert.deepEqual(importTranscript('specstory', text).said, [
      'user: Look.',
      'tool: Tool use: **Read** `./a.md`\n\nResult:\n\n```\nA\n\n---\n\nB\n```',
      'assistant: I look.\n\n---\n\nAnd:',
      'tool: ```bash\nls\n```\n\n```\na.md\n```',
      'assistant: Found.',
      'tool: Read file: a.md',
      'tool: ```diff\n+ 1\n```',
      'assistant: Done.',
    ]);
  });

  it('keeps rules, examples of thinking, and collapsed lists in replies of files whose tool calls are in tags', () => {
    const reply = `<details>\n<summary>Files</summary>\na.md\n</details>

\`\`\`
<think>
Hm.
</think>
\`\`\`

<think> begins the thinking, and \`</think>\` ends it.

---

\`\`\`ts
run();
\`\`\`

This runs it.`;
    const text = `<!-- Generated by SpecStory, Markdown v2.1.0 -->\n\n_**User**_\n\nLook.\n\n---\n\n_**Agent (a)**_\n\n${reply}\n`;
    const { said, skipped } = importTranscript('specstory', text);
    assert.deepEqual(said, ['user: Look.', `assistant: ${reply}`]);
    assert.deepEqual(skipped, {});
  });

  it('keeps rules and code within a code block of a reply in an older file', () => {
    const reply = 'Add this:\n\n````md\n# Guide\n\n---\n\n```ts\nrun();\n```\n````\n\nThat is all.';
    const text = `## SpecStory\n\n_**User**_\n\nA guide?\n\n---\n\n_**Assistant**_\n\n${reply}\n`;
    assert.deepEqual(importTranscript('specstory', text).said, ['user: A guide?', `assistant: ${reply}`]);
  });

  it('skips thinking and the messages of subagents, and takes times from the title', () => {
    const text = `## SpecStory

# A port (2025-05-01 12:39:17)

_**User**_

Which port?

---

_**Agent (claude-opus-4)**_

<think><details><summary>Thought Process</summary>A quote: _**User**_
Hm.</details></think>

---

8080.

_**User (sidechain)**_

Look for ports.

_**Agent (claude-opus-4) (sidechain)**_

Tool use: **Grep**

_**Agent (claude-opus-4 2025-05-01 12:40Z)**_

<think>cut off

_**User**_

No </think>?
`;
    const { said, moments, skipped } = importTranscript('specstory', text);
    assert.deepEqual(said, [
      'user: Which port?',
      'assistant: 8080.',
      'assistant: <think>cut off',
      'user: No </think>?',
    ]);
    const [began, later] = [Date.UTC(2025, 4, 1, 12, 39, 17), Date.UTC(2025, 4, 1, 12, 40)];
    assert.deepEqual(moments, [began, began, later, later]);
    assert.deepEqual(skipped, { 'model reasoning': 1, 'subagent message': 2 });
  });
});

describe('importing an aider history', () => {
  it('omits the time when the date in the heading is invalid', () => {
    const { said, moments } = importTranscript(
      'aider',
      ['# aider chat started at 2026-13-45 25:61:00', '', '#### Which port?', '', '8080.'].join('\n'),
    );
    assert.deepEqual(said, [
      'tool: # aider chat started at 2026-13-45 25:61:00',
      'user: Which port?',
      'assistant: 8080.',
    ]);
    assert.deepEqual(moments, [undefined, undefined, undefined]);
  });

  it('recognizes a history without its heading by user prompts and aider output', () => {
    const { said } = importTranscript(
      'aider',
      ['#### Which port?', '8080.', '> Tokens: 2k sent', '>  ', '> Done.'].join('\n'),
    );
    assert.deepEqual(said, ['user: Which port?', 'assistant: 8080.', 'tool: Tokens: 2k sent\n\nDone.']);
  });

  it('keeps quotes, headings and markers inside an edit block or code fence in the reply', () => {
    const blocks =
      'docs/modes.md\n````markdown\n<<<<<<< SEARCH\n#### A heading\n=======\n> A quote\n```sh\n#### ~/.bashrc\n' +
      '>>>>>>> REPLACE\n````\n```\n>           if port > 0:\n```\n>no space, no mark of aider';
    const { said } = importTranscript('aider', `#### Change it  \n${blocks}\n> Applied edit to docs/modes.md  `);
    assert.deepEqual(said, ['user: Change it', `assistant: ${blocks}`, 'tool: Applied edit to docs/modes.md']);
  });

  it('reads an output of several lines, of which only the first is marked, and quotes in a reply', () => {
    const reply = 'I freed it.\n\n> No port is free.\n\n#### Why\n\n#### Because it was in use.';
    const failure =
      '# 1 SEARCH/REPLACE block failed to match!\n\n## SearchReplaceNoExactMatch\n> a quoted line\nSend it again.';
    const map = 'Here are summaries of some files.\nDo not edit them.\n\nsrc/port.ts:\n│export const port\n⋮';
    const usage = 'Tokens: 5.1k sent, 100 received.\nCost: $0.01 message.';
    const history = [
      ...['> Aider v0.86.1  ', '', '#### /map  ', `> ${map.replace('port\n', 'port  \n')}  `, ''],
      ...['#### Free the port.  ', '', reply, '', `> ${usage}  `, `> ${failure}  `, '', 'I sent it.', ''],
    ];
    assert.deepEqual(importTranscript('aider', history.join('\n')).said, [
      'tool: Aider v0.86.1',
      'user: /map',
      `tool: ${map}`,
      'user: Free the port.',
      `assistant: ${reply}`,
      `tool: ${usage}\n${failure}`,
      'assistant: I sent it.',
    ]);
  });

  it('recognizes marks whose spaces were removed by an editor', () => {
    const history =
      '> Aider v0.86.1\n>\n> Git repo: none\n\n#### First line\n####\n#### third line\n\nDone.\n\n> Tokens: 2k sent';
    assert.deepEqual(importTranscript('aider', history).said, [
      'tool: Aider v0.86.1\n\nGit repo: none',
      'user: First line\n\nthird line',
      'assistant: Done.',
      'tool: Tokens: 2k sent',
    ]);
  });

  it('reads an answer to a question of aider as its output', () => {
    const question = "Add file to the chat? (Y)es/(N)o/(A)ll/(D)on't ask again [Yes]:";
    const history = `#### Look  \n\nWhere?\n\n> Added a.ts  \n\n#### ${question} all  \n> ${question} a  \n\n#### Yes/No [b]: c  `;
    assert.deepEqual(importTranscript('aider', history).said, [
      'user: Look',
      'assistant: Where?',
      `tool: Added a.ts\n\n${question} all\n${question} a`,
      'user: Yes/No [b]: c',
    ]);
  });

  it('skips the model’s reasoning, also if it was cut off', () => {
    const tag = 'thinking-content-0123456789abcdef0123456789abcdef';
    const history =
      `#### Which port?  \n\n<${tag}>\n\nLet me see:\n\n\`\`\`\n\n</${tag}>\n\n8080.\n\n> Tokens: 2k sent  \n\n` +
      `#### Sure?  \n\n<${tag}>\n\nHm.\n\n> ^C again to exit  \n\nYes.`;
    const { said, skipped } = importTranscript('aider', history);
    const replies = ['assistant: 8080.', 'tool: Tokens: 2k sent', 'user: Sure?', 'tool: ^C again to exit'];
    assert.deepEqual(said, ['user: Which port?', ...replies, 'assistant: Yes.']);
    assert.deepEqual(skipped, { 'model reasoning': 2 });
  });

  it('reads each input as a message, and skips those that aider repeats for another mode', () => {
    const history =
      '#### /drop a.ts  \n\n#### /ask Which port?  \n####   \n#### And why?  \n\n#### Which port?  \n####   \n' +
      '#### And why?  \n\n8080.\n\nIt was free.\n\n> Tokens: 2k sent  \n\n#### 8080.  \n####   \n#### It was free.  \n\n' +
      'src/port.ts\n\n#### Yes  \n\n#### Yes  ';
    const { said, skipped } = importTranscript('aider', history);
    assert.deepEqual(said, [
      'user: /drop a.ts',
      'user: /ask Which port?\n\nAnd why?',
      'assistant: 8080.\n\nIt was free.',
      'tool: Tokens: 2k sent',
      'assistant: src/port.ts',
      'user: Yes',
      'user: Yes',
    ]);
    assert.deepEqual(skipped, { 'duplicate message': 2 });
  });

  it('keeps an input of a new run, and one about aider’s questions', () => {
    const start = '# aider chat started at 2026-03-02 09:00:00';
    const asked = 'Why does it ask (Y)es/(N)o?';
    const { said } = importTranscript('aider', `${start}\n\n#### /ask ${asked}  \n\n${start}\n\n#### ${asked}  \n`);
    assert.deepEqual(
      said.filter((one) => one.startsWith('user: ')),
      [`user: /ask ${asked}`, `user: ${asked}`],
    );
  });

  it('takes a line with backticks on both sides for no code block', () => {
    const history = '#### Which port?\n```8080``` is free.\n> Tokens: 2k sent\n#### Good.';
    const { said } = importTranscript('aider', history);
    assert.deepEqual(said.slice(2), ['tool: Tokens: 2k sent', 'user: Good.']);
  });

  it('ends a reply that was cut off inside a block at the next aider output or user input', () => {
    const cut = '```python\n<<<<<<< SEARCH\nport = 3000';
    const history = `> Aider v0.86.1  \n#### Change it  \n${cut}\n> ^C again to exit  \n\n${cut}\n#### /undo  \nDone.`;
    const { said } = importTranscript('aider', history);
    const replies = ['user: Change it', `assistant: ${cut}`, 'tool: ^C again to exit', `assistant: ${cut}`];
    assert.deepEqual(said.slice(1), [...replies, 'user: /undo', 'assistant: Done.']);
  });
});
