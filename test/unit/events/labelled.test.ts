import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { detectEvents } from '../../../src/core/events/detect.ts';
import { FEATURES } from '../../../src/core/events/feature-names.ts';
import { MODEL } from '../../../src/core/events/weights.ts';
import type { KeyEventKind, Span } from '../../../src/core/model/key-event.ts';
import type { Role } from '../../../src/core/model/message.ts';

interface Item {
  readonly role: Role;
  readonly before: string;
  readonly text?: string;
  readonly agreed: readonly (Span & { readonly kinds: readonly KeyEventKind[] })[];
  readonly single: readonly Span[];
}

const DATA = process.env['THREADKEEPER_DATA'] ?? path.resolve(import.meta.dirname, '../../../../shared/data');
const LABELS = path.join(DATA, 'labels.dev.jsonl');

/** More than half of the shorter span is shared, and what was found is no page. */
const hits = (gold: Span, found: Span): boolean =>
  Math.min(gold.end, found.end) - Math.max(gold.start, found.start) >
    0.5 * Math.min(gold.end - gold.start, found.end - found.start) &&
  found.end - found.start <= Math.max(4 * (gold.end - gold.start), 300);

describe('the weights', () => {
  it('belong to the features of this code', () => {
    for (const weights of [MODEL.event, ...Object.values(MODEL.kinds)]) {
      assert.equal(weights.user.length, FEATURES.length);
      assert.equal(weights.other.length, FEATURES.length);
    }
  });
});

describe('key events of labelled transcripts', () => {
  it('are found: recall at least 0.85, precision 0.70, right kind 0.75', function () {
    if (!fs.existsSync(LABELS)) {
      console.log(`      no labelled transcripts at ${LABELS}: skipped`);
      this.skip();
    }
    let agreed = 0;
    let found = 0;
    let kinds = 0;
    let predicted = 0;
    let right = 0;
    for (const line of fs.readFileSync(LABELS, 'utf8').trim().split('\n')) {
      const item = JSON.parse(line) as Item;
      if (item.text === undefined) continue;
      const before = { role: item.role === 'user' ? 'assistant' : 'user', text: item.before || '(start)' } as const;
      const events = detectEvents({ role: item.role, text: item.text }, { before });
      for (const gold of item.agreed) {
        const match = events.find((event) => hits(gold, event));
        agreed++;
        if (match !== undefined) found++;
        if (match !== undefined && gold.kinds.includes(match.kind)) kinds++;
      }
      predicted += events.length;
      right += events.filter((event) => [...item.agreed, ...item.single].some((gold) => hits(gold, event))).length;
    }
    assert.ok(found / agreed >= 0.85, `recall ${found}/${agreed}`);
    assert.ok(right / predicted >= 0.7, `precision ${right}/${predicted}`);
    assert.ok(kinds / found >= 0.75, `kinds ${kinds}/${found}`);
  });
});
