import assert from 'node:assert/strict';
import { DocumentWriter, separateHeadings } from '../../../src/host/summaries/rendered-document.ts';

describe('displayed summary', () => {
  it('separates headings from the preceding lists and changes nothing else', () => {
    const summary = 'A rate limit.\n**Decisions**\n- Redis, **not** a map\n**Errors**\n- ECONNREFUSED\n- **bold**';
    assert.equal(
      separateHeadings(summary),
      'A rate limit.\n\n**Decisions**\n- Redis, **not** a map\n\n**Errors**\n- ECONNREFUSED\n- **bold**',
    );
  });
});

describe('document with messages', () => {
  it('puts links where the editor expects them, even after terminal progress output and Windows line endings', () => {
    const { text, links } = new DocumentWriter()
      .heading(1, 'Source')
      .block('Downloading\r 10%\r 100%\r\nDone.\r\n')
      .line('- a quote\r\nof two lines')
      .line('- ', { text: 'Open Message', to: {} as never })
      .document();
    const [link] = links;
    const lines = text.split(/\r\n|\r|\n/);
    assert.equal(lines[link!.line]?.slice(link!.start, link!.end), 'Open Message');
  });
});
