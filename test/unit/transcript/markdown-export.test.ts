import assert from 'node:assert/strict';
import { keyEventId, messageId, nodeId, taskId } from '../../../src/core/model/ids.ts';
import type { SummaryNode } from '../../../src/core/model/summary.ts';
import { sessionToMarkdown } from '../../../src/core/transcript/markdown-export.ts';
import { say } from './say.ts';

describe('exporting a session as Markdown', () => {
  it('writes Markdown for people: tasks, key events, then numbered messages with fenced tool output', () => {
    const decision = say('user', 'We keep slots at 30 minutes.');
    const markdown = [
      ...sessionToMarkdown({
        title: 'Booking\nservice',
        messages: [
          decision,
          say('assistant', 'Noted.', { model: 'openai/gpt-5-mini', ending: 'stopped' }),
          {
            ...say('tool', 'x'),
            content: [{ type: 'tool_result', callId: 'c', text: 'a\n```\nb', isError: true }],
          },
        ],
        events: [
          {
            id: keyEventId('e1'),
            message: decision.id,
            kind: 'decision',
            quote: 'We keep slots at 30 minutes.',
            start: 0,
            end: 28,
            score: 0.9,
            importance: 2 as const,
            reason: 'we keep',
            status: 'active',
            pinned: true,
          },
        ],
        tasks: [{ id: taskId('t'), goal: 'Ship it', steps: [{ text: 'write tests', status: 'skipped' }], endedAt: 0 }],
      }),
    ].join('');
    assert.equal(
      markdown,
      [
        '# Booking service',
        '',
        '## Tasks',
        '',
        '**Ship it** (ended 1970-01-01 00:00)',
        '',
        '- [ ] write tests _(skipped)_',
        '',
        '## Key events',
        '',
        '- **decision**, pinned: “We keep slots at 30 minutes.” (message 1)',
        '',
        '## Messages',
        '',
        '### 1. User · 2026-03-02 09:30',
        '',
        'We keep slots at 30 minutes.',
        '',
        '### 2. Assistant · 2026-03-02 09:30 · openai/gpt-5-mini',
        '',
        'Noted.',
        '',
        '_(stopped)_',
        '',
        '### 3. Tool · 2026-03-02 09:30',
        '',
        'Result (error)',
        '',
        '````',
        'a',
        '```',
        'b',
        '````',
        '',
      ].join('\n'),
    );
  });

  it('writes Markdown of a session without messages as its title, and of one with messages alone as these', () => {
    assert.equal([...sessionToMarkdown({ title: ' New ', messages: [] })].join(''), '# New\n');
    assert.equal(
      [...sessionToMarkdown({ title: 'T', messages: [say('system', 'Be brief.', { ending: 'complete' })] })].join(''),
      '# T\n\n## Messages\n\n### 1. System · 2026-03-02 09:30\n\nBe brief.\n',
    );
  });

  it('writes Markdown with calls, results, pictures and attachments, each fence longer than what it holds', () => {
    const markdown = [
      ...sessionToMarkdown({
        title: 'T',
        messages: [
          say('user', 'Look.', {
            attachments: [
              { kind: 'file', name: 'notes\n.md', text: 'one\n' },
              { kind: 'paste', name: 'paste', text: '`````' },
            ],
          }),
          say('assistant', 'x', {
            content: [
              { type: 'text', text: 'Reading.' },
              { type: 'tool_call', callId: 'c', name: 'read_file', json: '{"path":"a"}' },
            ],
          }),
          say('tool', 'y', {
            content: [
              { type: 'tool_result', callId: 'c', text: 'found', isError: false },
              { type: 'image', mediaType: 'image/png', base64: 'QQ==' },
            ],
          }),
        ],
      }),
    ].join('');
    assert.equal(
      markdown,
      [
        '# T',
        '',
        '## Messages',
        '',
        '### 1. User · 2026-03-02 09:30',
        '',
        'Look.',
        '',
        'Attached: notes .md',
        '',
        '```',
        'one',
        '```',
        '',
        'Attached: paste',
        '',
        '``````',
        '`````',
        '``````',
        '',
        '### 2. Assistant · 2026-03-02 09:30',
        '',
        'Reading.',
        '',
        'Called `read_file`',
        '',
        '```',
        '{"path":"a"}',
        '```',
        '',
        '### 3. Tool · 2026-03-02 09:30',
        '',
        'Result',
        '',
        '```',
        'found',
        '```',
        '',
        '_(image, image/png)_',
        '',
      ].join('\n'),
    );
  });

  it('writes Markdown with each step’s and event’s state, the events of other branches, and summaries', () => {
    const here = say('user', 'Port 8080.');
    const event = {
      id: keyEventId('e1'),
      message: here.id,
      kind: 'decision' as const,
      quote: 'Port 8080.',
      start: 0,
      end: 10,
      score: 0.9,
      importance: 2 as const,
      reason: 'port',
      status: 'superseded' as const,
      pinned: false,
    };
    const node: SummaryNode = {
      id: nodeId('n1'),
      depth: 0,
      first: here.id,
      last: here.id,
      messages: 1,
      children: [],
      title: 'The\nport',
      brief: 'Port.',
      detailed: 'The port is 8080.',
      tokens: { source: 9, brief: 1, detailed: 4 },
      rung: 'model',
      model: 'local',
      promptVersion: '1',
      sourceHash: 'x',
      at: 1,
      audit: { score: 1, identifiers: { known: 0, total: 0 }, quotes: { known: 0, total: 0 }, faults: [] },
    };
    const markdown = [
      ...sessionToMarkdown({
        title: 'T',
        messages: [here],
        summaries: [{ node, from: 0, to: 0 }],
        events: [
          event,
          { ...event, id: keyEventId('e2'), message: messageId('elsewhere'), status: 'active', quote: 'Port\n80.' },
        ],
        tasks: [
          {
            id: taskId('t1'),
            goal: 'Serve it',
            steps: [
              { text: 'choose a port', status: 'done' },
              { text: 'bind it', status: 'in_progress' },
              { text: 'tell people', status: 'pending' },
            ],
          },
          { id: taskId('t2'), goal: 'Nothing yet', steps: [] },
        ],
      }),
    ].join('');
    assert.equal(
      markdown.slice(0, markdown.indexOf('\n## Messages')),
      [
        '# T',
        '',
        '## Tasks',
        '',
        '**Serve it**',
        '',
        '- [x] choose a port',
        '- [ ] bind it _(in progress)_',
        '- [ ] tell people',
        '',
        '**Nothing yet**',
        '',
        '## Key events',
        '',
        '- **decision**, superseded: “Port 8080.” (message 1)',
        '- **decision**: “Port 80.”',
        '',
        '## Summaries',
        '',
        '### Messages 1 to 1: The port',
        '',
        'The port is 8080.',
        '',
      ].join('\n'),
    );
  });
});
