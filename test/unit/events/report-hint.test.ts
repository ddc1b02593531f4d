import assert from 'node:assert/strict';
import { mayReport } from '../../../src/core/events/report-hint.ts';

const reports = (line: string): boolean => mayReport(line, 0, line.length);

describe('whether a line may report something', () => {
  it('finds its words in either case, at the start, within and at the end of a line', () => {
    for (const line of ['Error: no', 'the build FAILED', 'it was denied', 'no such file', 'ended, not ok']) {
      assert.ok(reports(line), line);
    }
  });

  it('finds marks, places in files and words in other scripts', () => {
    for (const line of ['✗ adds', '[main 1a2b3c4] Add', 'a.ts:12', '错误：没有', 'ошибка'])
      assert.ok(reports(line), line);
  });

  it('passes over lines that only begin like one', () => {
    for (const line of ['', 'ab', 'the farmer', 'const total = sum', 'nothing: all of it', 'größer']) {
      assert.ok(!reports(line), line);
    }
  });

  it('looks no further than it is told', () => {
    assert.ok(!mayReport('error fine error', 5, 10));
  });
});
