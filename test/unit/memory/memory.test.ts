import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  isRemembered,
  memoryCandidates,
  memoryMarkdown,
  memoryProposals,
  memoryText,
  type MemoryEntry,
} from '../../../src/core/memory/memory.ts';
import type { KeyEvent } from '../../../src/core/model/key-event.ts';
import { keyEvent } from '../../support/key-events.ts';

const entry = (id: string, text: string, kind: MemoryEntry['kind'] = 'preference'): MemoryEntry => ({
  id,
  kind,
  text,
  at: 0,
});
const words = (text: string): number => text.split(/\s+/).filter((word) => word !== '').length;

const event = (quote: string, more: Partial<KeyEvent> = {}): KeyEvent =>
  keyEvent(quote, { kind: 'preference', ...more });

describe('workspace memory', () => {
  it('is sent as one block that describes itself, with the oldest entry first', () => {
    const { text, omittedIds } = memoryText(
      [entry('a', 'Use tabs.'), entry('b', 'Node 24.', 'constraint')],
      100,
      words,
    );
    assert.match(
      text,
      /^<workspace_memory-(\w+)>\n.*all conversations.*\n- \[preference\] Use tabs\.\n- \[constraint\] Node 24\.\n<\/workspace_memory-\1>$/,
    );
    assert.equal(omittedIds.size, 0);
  });

  it('never exceeds its budget, keeps the newest entries, and reports the omitted ones', () => {
    const line = fc.array(fc.constantFrom('tabs', 'never', 'Node', '24', 'a'), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), fc.integer({ min: 0, max: 200 }), (lines, budget) => {
        const entries = lines.map((one, index) => entry(String(index), one.join(' ')));
        const { text, omittedIds } = memoryText(entries, budget, words);
        assert.ok(words(text) <= budget || text === '');
        for (const { id, text: said } of entries)
          assert.ok(omittedIds.has(id) || text.includes(`- [preference] ${said}`));
      }),
    );
    const { omittedIds } = memoryText([entry('old', 'a b c d e'), entry('new', 'f g h i j')], 40, words);
    assert.deepEqual([...omittedIds], ['old']);
  });

  it('is not sent if it is empty or turned off', () => {
    assert.equal(memoryText([], 100, words).text, '');
    assert.equal(memoryText([entry('a', 'Use tabs.')], 0, words).text, '');
  });

  it('accepts each lasting key event of a session once, and proposes only some kinds of them', () => {
    const events = [
      event('Use tabs.'),
      event('We chose SQLite.', { kind: 'decision' }),
      event('TypeError: x', { kind: 'error' }),
      event('Use spaces.', { status: 'superseded' }),
      event('Call  it resume.'),
    ];
    const known = [entry('1', 'call it resume.')];
    const quotes = memoryCandidates(events, known).map(({ quote }) => quote);
    assert.deepEqual(quotes, ['Use tabs.', 'We chose SQLite.']);
    const quotesProposed = memoryCandidates(events, known, 'proposed').map(({ quote }) => quote);
    assert.deepEqual(quotesProposed, ['Use tabs.']);
    assert.ok(isRemembered(known, 'Call it\n resume.'));
  });

  it('proposes a limited number of key events, the pinned and most certain ones, in chronological order', () => {
    const events = Array.from({ length: 200 }, (_, n) => event(`Rule ${n}.`, { score: n % 20 === 0 ? 0.9 : 0.5 }));
    const proposed = memoryProposals([...events, event('Keep this.', { score: 0.1, pinned: true })]);
    const quotes = proposed.map(({ quote }) => quote);
    assert.deepEqual(quotes, [
      'Rule 0.',
      'Rule 1.',
      'Rule 20.',
      ...[40, 60, 80, 100, 120, 140, 160, 180].map((n) => `Rule ${n}.`),
      'Keep this.',
    ]);
  });

  it('is written as Markdown, grouped by kind', () => {
    const text = memoryMarkdown(
      [entry('a', 'Use tabs.'), entry('b', 'Node 24.', 'constraint'), entry('c', 'Be brief.')],
      (kind) => kind.toUpperCase(),
    );
    assert.equal(text, '## PREFERENCE\n\n- Use tabs.\n- Be brief.\n\n## CONSTRAINT\n\n- Node 24.\n');
  });
});
