import assert from 'node:assert/strict';
import { keyEventId, messageId, nodeId } from '../../../src/core/model/ids.ts';
import type { KeyEvent } from '../../../src/core/model/key-event.ts';
import type { Message } from '../../../src/core/model/message.ts';
import type { SummaryNode } from '../../../src/core/model/summary.ts';
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
    topics: [],
    decisions: [
      { what: 'use PostgreSQL for storage', why: 'the team knows it' },
      { what: 'paint the shed green', why: 'it matches' },
    ],
    preferences: [],
    guidance: [],
    errors: [],
    failedAttempts: [],
    files: [],
    openSteps: [],
    outcomes: [],
    narrative: '',
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
        '- From: a message of another branch',
        '',
      ].join('\n'),
    );
  });

  it('is a heading alone where nothing was decided', () => {
    const record = [...decisionRecord({ title: 'T', messages: [], events: [], summaries: [] })].join('');
    assert.equal(record, '# Decisions: T\n\n0 decisions, 0 in force.\n');
  });
});
