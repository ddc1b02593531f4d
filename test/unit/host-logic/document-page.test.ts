import assert from 'node:assert/strict';
import { separateHeadings } from '../../../src/host/summaries/document-page.ts';

describe('a summary that is shown', () => {
  it('has its headings apart from the lists before them, and nothing else changed', () => {
    const summary = 'A rate limit.\n**Decisions**\n- Redis, **not** a map\n**Errors**\n- ECONNREFUSED\n- **bold**';
    assert.equal(
      separateHeadings(summary),
      'A rate limit.\n\n**Decisions**\n- Redis, **not** a map\n\n**Errors**\n- ECONNREFUSED\n- **bold**',
    );
  });
});
