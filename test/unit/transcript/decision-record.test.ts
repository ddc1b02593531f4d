import assert from 'node:assert/strict';
import { keyEventId, messageId, nodeId } from '../../../src/core/model/ids.ts';
import type { KeyEvent } from '../../../src/core/model/key-event.ts';
import type { Message } from '../../../src/core/model/message.ts';
import { proseSummary, type SummaryNode } from '../../../src/core/model/summary.ts';
import { decisionRecord } from '../../../src/core/transcript/decision-record.ts';

const say = (id: string, text: string): Message => ({
  id: messageId(id),
  parent: null,
  role: 'user',
  content: [{ type: 'text', text }],
  at: Date.UTC(2026, 2, 2, 9, 30),
});

const decision = (id: string, message: string, quote: string, more: Partial<KeyEvent> = {}): KeyEvent => ({
  id: keyEventId(id),
  message: messageId(message),
  kind: 'decision',
  quote,
  start: 0,
  end: quote.length,
  score: 0.9,
  importance: 2,
  reason: 'we keep',
  status: 'active',
  pinned: false,
  ...more,
});

const node: SummaryNode = {
  id: nodeId('n1'),
  depth: 0,
  first: messageId('m0'),
  last: messageId('m1'),
  messages: 2,
  children: [],
  title: 'Storage',
  brief: 'Storage.',
  detailed: 'Storage was decided.',
  structured: {
    ...proseSummary(''),
    decisions: [
      { what: 'use PostgreSQL for storage', why: 'the team knows it' },
      { what: 'paint the shed green', why: 'it matches' },
    ],
  },
  tokens: { source: 20, brief: 2, detailed: 5 },
  rung: 'model',
  model: 'local',
  promptVersion: '1',
  sourceHash: 'x',
  at: 1,
  audit: { score: 1, identifiers: { known: 0, total: 0 }, quotes: { known: 0, total: 0 }, faults: [] },
};

describe('the decision record', () => {
  it('tells each decision word for word with status, reason, what replaced it, and its message', () => {
    const record = [
      ...decisionRecord({
        title: 'Booking\nservice',
        messages: [say('m0', 'a'), say('m1', 'b'), say('m2', 'c')],
        events: [
          decision('e2', 'm2', 'We move to SQLite.\nIt is enough.', {
            pinned: true,
            about: { message: messageId('m1'), start: 0, end: 7, quote: 'SQLite?' },
          }),
          decision('e1', 'm0', 'We use PostgreSQL for storage.', { status: 'superseded', link: keyEventId('e2') }),
          decision('e3', 'elsewhere', 'Never mind.'),
          decision('e4', 'm1', 'I like tea.', { kind: 'preference' }),
        ],
        summaries: [{ node, from: 0, to: 1 }],
      }),
    ].join('');
    assert.equal(
      record,
      [
        '# Decisions: Booking service',
        '',
        '3 decisions, 2 in force.',
        '',
        '## 1. We use PostgreSQL for storage.',
        '',
        '> We use PostgreSQL for storage.',
        '',
        '- Status: superseded by decision 2',
        '- Why: the team knows it',
        '- Found by: we keep',
        '- From: message 1, user, 2026-03-02T09:30:00.000Z',
        '',
        '## 2. We move to SQLite. It is enough.',
        '',
        '> We move to SQLite.',
        '> It is enough.',
        '',
        '- Status: in force, pinned',
        '- Replaces: decision 1',
        '- Answers: “SQLite?”',
        '- Found by: we keep',
        '- From: message 3, user, 2026-03-02T09:30:00.000Z',
        '',
        '## 3. Never mind.',
        '',
        '> Never mind.',
        '',
        '- Status: in force',
        '- Found by: we keep',
        '- From: a message on another branch',
        '',
      ].join('\n'),
    );
  });

  it('is a heading alone where nothing was decided', () => {
    const record = [...decisionRecord({ title: 'T', messages: [], events: [], summaries: [] })].join('');
    assert.equal(record, '# Decisions: T\n\n0 decisions, 0 in force.\n');
  });

  it('tells what became of each: the same as another, replaced by what is gone, or no longer sent', () => {
    const record = [
      ...decisionRecord({
        title: 'T',
        messages: [say('m0', 'a'), say('m1', 'b')],
        events: [
          decision('e5', 'm1', 'Port 8080.', { status: 'active' }),
          decision('e1', 'm0', 'Port 80.', { status: 'superseded', link: keyEventId('e5') }),
          decision('e2', 'm0', 'Port 81.', { start: 20, end: 28, status: 'superseded', link: keyEventId('e5') }),
          decision('e3', 'm0', 'Port 82.', { start: 10, end: 18, status: 'superseded', link: keyEventId('gone') }),
          decision('e4', 'm1', 'It is 8080.', { start: 30, end: 41, status: 'merged', link: keyEventId('e5') }),
          decision('e6', 'm1', 'I said so.', { start: 50, end: 60, status: 'merged' }),
          decision('e7', 'm1', 'Tabs.', { start: 70, end: 75, status: 'dropped', pinned: true }),
          decision('e8', 'elsewhere', 'Spaces.', { start: 90, end: 97, status: 'superseded' }),
          decision('e9', 'nowhere', 'Both.'),
        ],
        summaries: [],
      }),
    ].join('');
    assert.deepEqual(
      record.split('\n').filter((line) => /^(# |## |\d+ decisions|- (Status|Replaces))/.test(line)),
      [
        '# Decisions: T',
        '9 decisions, 3 in force.',
        '## 1. Port 80.',
        '- Status: superseded by decision 4',
        '## 2. Port 82.',
        '- Status: superseded',
        '## 3. Port 81.',
        '- Status: superseded by decision 4',
        '## 4. Port 8080.',
        '- Status: in force',
        '- Replaces: decision 1, decision 3',
        '## 5. It is 8080.',
        '- Status: the same as decision 4',
        '## 6. I said so.',
        '- Status: said again elsewhere',
        '## 7. Tabs.',
        '- Status: in force, but no longer sent for want of room',
        '## 8. Both.',
        '- Status: in force',
        '## 9. Spaces.',
        '- Status: superseded',
      ],
    );
  });

  it('gives no reason but the one of the summary that tells the most of the decision', () => {
    const told = (decisions: readonly { readonly what: string; readonly why?: string }[]): SummaryNode => ({
      ...node,
      structured: { ...node.structured!, decisions },
    });
    const { structured: _, ...untold } = node;
    const record = [
      ...decisionRecord({
        title: 'T',
        messages: [say('m0', 'a'), say('m1', 'b')],
        events: [
          decision('e1', 'm0', 'We use PostgreSQL for storage.'),
          decision('e2', 'm1', 'Yes.', {
            about: { message: messageId('m0'), start: 0, end: 4, quote: 'Paint the shed?' },
          }),
        ],
        summaries: [
          { node: untold, from: 0, to: 1 },
          {
            node: told([
              { what: 'use PostgreSQL for storage' },
              { what: 'use PostgreSQL for storage', why: ' ' },
              { what: '…', why: 'nothing is told' },
              { what: 'use PostgreSQL for storage of bookings and rooms', why: 'it is near' },
              { what: 'use PostgreSQL for storage', why: 'the team knows it' },
              { what: 'PostgreSQL for the mail and storage', why: 'later and worse' },
            ]),
            from: 0,
            to: 0,
          },
          { node: told([{ what: 'paint the shed', why: 'it is grey' }]), from: 1, to: 1 },
        ],
      }),
    ].join('');
    assert.deepEqual(record.match(/^- Why: .*$/gm), ['- Why: the team knows it', '- Why: it is grey']);
  });

  it('cuts a long heading between words, a long word within, and quotes both whole', () => {
    const sentence = `${'We keep it. '.repeat(8)}End.`;
    const word = 'x'.repeat(100);
    const record = [
      ...decisionRecord({
        title: 'T',
        messages: [say('m0', 'a')],
        events: [decision('e1', 'm0', sentence), decision('e2', 'm0', word, { start: 200, end: 300 })],
        summaries: [],
      }),
    ].join('');
    assert.deepEqual(record.match(/^## .*$/gm), [
      `## 1. ${'We keep it. '.repeat(6)}We keep …`,
      `## 2. ${'x'.repeat(80)} …`,
    ]);
    assert.ok(record.includes(`\n> ${sentence}\n`) && record.includes(`\n> ${word}\n`));
  });
});
