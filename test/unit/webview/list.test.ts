import assert from 'node:assert/strict';
import fc from 'fast-check';
import { RowHeights } from '../../../src/webview/list/row-heights.ts';
import { PAGE_SIZE, Transcript } from '../../../src/webview/state.ts';
import { messageView } from './init.ts';

const message = (position: number) => messageView(`m${position}`, `message ${position}`, 'user');
const messages = (from: number, count: number) => Array.from({ length: count }, (_, index) => message(from + index));
const loaded = (transcript: Transcript): number =>
  Array.from({ length: transcript.total }, (_, position) => transcript.at(position)).filter(Boolean).length;

describe('row heights of a long list', () => {
  it('give the same sums and lookups as a plain list', () => {
    const change = fc.tuple(fc.nat(60), fc.integer({ min: 1, max: 400 }));
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), fc.array(change, { maxLength: 40 }), (count, changes) => {
        const index = new RowHeights();
        const plain = Array.from({ length: count }, (_, row) => 10 + row);
        index.resize(count, (row) => 10 + row);
        for (const [row, height] of changes) {
          index.set(row, height);
          if (row < count) plain[row] = height;
        }
        let top = 0;
        for (const [row, height] of plain.entries()) {
          assert.equal(index.topOf(row), top);
          assert.equal(index.rowAt(top), row);
          assert.equal(index.rowAt(top + height - 0.5), row);
          assert.equal(index.positionAt(top + height / 2), row + 0.5);
          top += height;
        }
        assert.equal(index.total, top);
        assert.equal(index.rowAt(top + 1_000), count - 1);
        assert.equal(index.positionAt(top + 1_000), count);
      }),
    );
  });

  it('keep measured heights when the list grows', () => {
    const index = new RowHeights();
    index.resize(2, () => 100);
    index.set(0, 30);
    index.resize(3, () => 50);
    assert.equal(index.total, 180);
  });
});

describe('loaded part of the transcript', () => {
  it('starts with the newest messages, and requests older ones that are scrolled into view', () => {
    const transcript = Transcript.empty.replaceFrom(9_940, messages(9_940, 60), 10_000, true);
    assert.deepEqual(transcript.missingPages(9_960, 9_999), []);
    assert.deepEqual(transcript.missingPages(9_880, 9_945), [9_850, 9_900]);
    const more = transcript.add(9_900, messages(9_900, PAGE_SIZE), 9_930);
    assert.deepEqual(more.missingPages(9_900, 9_999), []);
  });

  it('keeps at most 700 messages while the user scrolls to the start, among them the newest', () => {
    let transcript = Transcript.empty.replaceFrom(9_940, messages(9_940, 60), 10_000, true);
    for (let from = 9_900; from >= 0; from -= PAGE_SIZE) {
      transcript = transcript.add(from, messages(from, PAGE_SIZE), from);
      assert.ok(loaded(transcript) <= 700, `${loaded(transcript)} loaded`);
      assert.ok(transcript.at(from));
    }
    assert.equal(transcript.last?.id, 'm9999');
  });

  it('keeps at most 700 messages while new ones arrive, among them those being read', () => {
    let transcript = Transcript.empty;
    const append = (to: number): void => {
      for (let position = transcript.total; position < to; position++)
        transcript = transcript.replaceFrom(position, [message(position)], position + 1, false);
    };
    append(2_000);
    assert.ok(loaded(transcript) <= 700, `${loaded(transcript)} loaded`);
    const old = messages(100, PAGE_SIZE);
    transcript = transcript.add(100, old, 120);
    append(2_400);
    assert.deepEqual(transcript.missingPages(100, 140), []);
    assert.deepEqual(transcript.missingPages(2_390, 2_399), []);
    assert.ok(loaded(transcript) <= 700, `${loaded(transcript)} loaded`);
  });

  it('replaces its messages from the position where another branch starts', () => {
    const before = Transcript.empty.replaceFrom(0, messages(0, 10), 10, true);
    const branch = before.replaceFrom(6, [message(60)], 7, false);
    assert.equal(branch.total, 7);
    assert.equal(branch.at(5)?.id, 'm5');
    assert.equal(branch.at(6)?.id, 'm60');
    assert.equal(branch.at(7), undefined);
    assert.equal(before.total, 10);
  });

  it('updates only messages that it has loaded', () => {
    const transcript = Transcript.empty.replaceFrom(5, messages(5, 5), 10, true);
    assert.equal(transcript.update([message(2)]).at(2), undefined);
    const changed = transcript.update([{ ...message(7), ending: 'stopped' }]);
    assert.equal(changed.at(7)?.ending, 'stopped');
    assert.equal(transcript.at(7)?.ending, undefined);
  });
});
