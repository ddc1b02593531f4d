import assert from 'node:assert/strict';
import { leads } from '../bench/figures/peers-leads.ts';
import type { Figure } from '../bench/report/figure.ts';

/** One system's row in a session of 1,000 messages. */
const row = (system: string, values: Readonly<Record<string, number>>): Figure[] =>
  Object.entries(values).map(([name, value]) => ({
    id: `peers.at1000.${system}.${name}`,
    label: name,
    value,
    unit: '×',
    cell: { grid: 'g', row: `The ${system}`, column: name },
  }));

describe('the lines above the peers', () => {
  const figures = [
    ...row('threadkeeper', { facts: 1, sent: 0.2, turnMs: 6, context: 0.6, played: 1 }),
    ...row('frugal', { facts: 0.06, sent: 0.1, turnMs: 1, context: 0.5, played: 1 }),
    ...row('thorough', { facts: 1, sent: 0.8, turnMs: 2, context: 0.9, played: 1 }),
    ...row('oversized', { facts: 1, sent: 0.1, turnMs: 1, context: 4, played: 1 }),
    ...row('stopped', { facts: 1, sent: 0.1, turnMs: 1, context: 0.5, played: 0.3 }),
    ...row('silent', { facts: 0, sent: 0, turnMs: 3, context: 0.5, played: 1 }),
  ];
  const line = (id: string): Figure => leads(figures).find((figure) => figure.id === id) ?? assert.fail(id);

  it('compare what is sent with all, and with those alone that kept as many facts within the budget to the end', () => {
    assert.equal(line('peers.lead.sent1000').value, 0.5);
    assert.match(
      line('peers.lead.sent1000').label,
      /does not lead; the best other is The frugal, 6 % of the facts kept/,
    );
    assert.equal(line('peers.lead.sent1000.kept').value, 4);
    assert.match(line('peers.lead.sent1000.kept').label, /kept as many facts: Threadkeeper leads; .* The thorough$/);
  });

  it('say where another one leads', () => {
    const { value, label } = line('peers.lead.turn1000.kept');
    assert.equal(value, 2 / 6);
    assert.match(label, /does not lead; the best other is The thorough/);
  });
});
