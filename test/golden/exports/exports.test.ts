import assert from 'node:assert/strict';
import { keyEventId, messageId, nodeId, taskId } from '../../../src/core/model/ids.ts';
import type { KeyEvent } from '../../../src/core/model/key-event.ts';
import { nodeWith, proseSummary, type SummaryNode } from '../../../src/core/model/summary.ts';
import {
  decisionRecord,
  sessionToMarkdown,
  type MarkdownExport,
} from '../../../src/core/transcript/markdown-export.ts';
import { matchesGolden } from '../../support/golden.ts';
import { keyEvent } from '../../support/key-events.ts';
import { textMessage } from '../../support/session-messages.ts';

const decision = (id: string, message: string, quote: string, more: Partial<KeyEvent> = {}): KeyEvent =>
  keyEvent(quote, { id: keyEventId(id), message: messageId(message), kind: 'decision', reason: 'we keep', ...more });

const summary = (decisions: readonly { readonly what: string; readonly why?: string }[]): SummaryNode =>
  nodeWith({
    id: nodeId('n1'),
    first: messageId('a'),
    last: messageId('b'),
    messages: 2,
    title: 'The\nstorage',
    detailed: 'Storage was decided.',
    structured: { ...proseSummary(''), decisions },
  });

/** Tasks in each state, events on this and another branch, and messages of each role with all kinds of content. */
const attachments = [
  { kind: 'file', name: 'notes\n.md', text: 'one\n' },
  { kind: 'paste', name: 'paste', text: '`````' },
] as const;
const results = ['a\n```\nb', 'found'].map((text, at) => ({
  ...({ type: 'tool_result', callId: at === 0 ? 'c' : 'd', text, isError: at === 0 } as const),
}));
const SESSION: MarkdownExport = {
  title: 'Booking\nservice',
  messages: [
    textMessage('system', 'Be brief.', { ending: 'complete' }),
    textMessage('user', 'Look.', { attachments }),
    textMessage('assistant', 'x', {
      ...{ model: 'openai/gpt-5-mini', ending: 'stopped' },
      content: [
        { type: 'text', text: 'Reading.' },
        { type: 'tool_call', callId: 'c', name: 'read_file', json: '{"path":"a"}' },
      ],
    }),
    textMessage('tool', 'y', { content: [...results, { type: 'image', mediaType: 'image/png', base64: 'QQ==' }] }),
  ],
  summaries: [{ node: summary([]), from: 0, to: 0 }],
  events: [
    decision('e1', 'Look.', 'We keep slots at 30 minutes.', { pinned: true }),
    decision('e2', 'Look.', 'Port 8080.', { status: 'superseded' }),
    decision('e3', 'elsewhere', 'Port\n80.'),
  ],
  tasks: [
    { id: taskId('t1'), goal: 'Ship it', steps: [{ text: 'write tests', status: 'skipped' }], endedAt: 0 },
    {
      id: taskId('t2'),
      goal: 'Serve it',
      steps: [
        { text: 'choose a port', status: 'done' },
        { text: 'bind it', status: 'in_progress' },
        { text: 'tell people', status: 'pending' },
      ],
    },
    { id: taskId('t3'), goal: 'Nothing yet', steps: [] },
  ],
};

describe('Markdown export of a session', () => {
  it('writes tasks, key events, summaries and numbered messages, each fence longer than those inside it', () => {
    matchesGolden(import.meta.url, 'session', [...sessionToMarkdown(SESSION)].join(''));
  });

  it('writes only the title of a session without messages', () =>
    assert.equal([...sessionToMarkdown({ title: ' New ', messages: [] })].join(''), '# New\n'));
});

describe('decision record', () => {
  const recordOf = (
    events: readonly KeyEvent[],
    summaries: Parameters<typeof decisionRecord>[0]['summaries'] = [],
  ): string => {
    const messages = ['a', 'b', 'c'].map((text) => textMessage('user', text));
    return [...decisionRecord({ title: 'Booking\nservice', messages, events, summaries })].join('');
  };

  it('quotes each decision verbatim with its status, reason, replacement and message', () => {
    const sqlite = { message: messageId('b'), start: 0, end: 7, quote: 'SQLite?' };
    const events = [
      decision('e2', 'c', 'We move to SQLite.\nIt is enough.', { pinned: true, about: sqlite }),
      decision('e1', 'a', 'We use PostgreSQL for storage.', { status: 'superseded', link: keyEventId('e2') }),
      decision('e8', 'a', 'We use files.', { start: 40, end: 53, status: 'superseded', link: keyEventId('e2') }),
      decision('e9', 'a', 'We use nothing.', { start: 60, end: 75, status: 'superseded', link: keyEventId('gone') }),
      decision('e3', 'elsewhere', 'Never mind.'),
      decision('e4', 'b', 'I like tea.', { kind: 'preference' }),
      decision('e5', 'b', 'It is SQLite.', { start: 20, end: 33, status: 'merged', link: keyEventId('e2') }),
      decision('e6', 'b', 'I said so.', { start: 50, end: 60, status: 'merged' }),
      decision('e7', 'b', 'Tabs.', { start: 70, end: 75, status: 'dropped', pinned: true }),
    ];
    const told = summary([
      { what: 'use PostgreSQL for storage', why: 'the team knows it' },
      { what: 'paint the shed green', why: 'it matches' },
    ]);
    matchesGolden(import.meta.url, 'decisions', recordOf(events, [{ node: told, from: 0, to: 1 }]));
  });

  it('takes the reason only from the summary that matches the decision best', () => {
    const { structured: _, ...untold } = summary([]);
    const told = summary([
      { what: 'use PostgreSQL for storage' },
      { what: 'use PostgreSQL for storage', why: ' ' },
      { what: '…', why: 'nothing is told' },
      { what: 'use PostgreSQL for storage of bookings and rooms', why: 'it is near' },
      { what: 'use PostgreSQL for storage', why: 'the team knows it' },
      { what: 'PostgreSQL for the mail and storage', why: 'later and worse' },
    ]);
    const shed = { message: messageId('a'), start: 0, end: 4, quote: 'Paint the shed?' };
    const record = recordOf(
      [decision('e1', 'a', 'We use PostgreSQL for storage.'), decision('e2', 'b', 'Yes.', { about: shed })],
      [
        { node: untold, from: 0, to: 1 },
        { node: told, from: 0, to: 0 },
        { node: summary([{ what: 'paint the shed', why: 'it is grey' }]), from: 1, to: 1 },
      ],
    );
    assert.deepEqual(record.match(/^- Why: .*$/gm), ['- Why: the team knows it', '- Why: it is grey']);
  });

  it('truncates a long heading between words, or within a long word, and quotes both in full', () => {
    const sentence = `${'We keep it. '.repeat(8)}End.`;
    const word = 'x'.repeat(100);
    const record = recordOf([decision('e1', 'a', sentence), decision('e2', 'a', word, { start: 200, end: 300 })]);
    assert.deepEqual(record.match(/^## .*$/gm), [
      `## 1. ${'We keep it. '.repeat(6)}We keep …`,
      `## 2. ${'x'.repeat(80)} …`,
    ]);
    assert.ok(record.includes(`\n> ${sentence}\n`) && record.includes(`\n> ${word}\n`));
  });
});
