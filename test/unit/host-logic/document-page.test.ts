import assert from 'node:assert/strict';
import { PageWriter, separateHeadings } from '../../../src/host/summaries/document-page.ts';

describe('a summary that is shown', () => {
  it('has its headings apart from the lists before them, and nothing else changed', () => {
    const summary = 'A rate limit.\n**Decisions**\n- Redis, **not** a map\n**Errors**\n- ECONNREFUSED\n- **bold**';
    assert.equal(
      separateHeadings(summary),
      'A rate limit.\n\n**Decisions**\n- Redis, **not** a map\n\n**Errors**\n- ECONNREFUSED\n- **bold**',
    );
  });
});

describe('a document with messages', () => {
  it('has its links where the editor looks for them, also below a terminal’s progress and lines of Windows', () => {
    const { text, links } = new PageWriter()
      .heading(1, 'Source')
      .block('Downloading\r 10%\r 100%\r\nDone.\r\n')
      .line('- a quote\r\nof two lines')
      .line('- ', { text: 'Open Message', to: {} as never })
      .page();
    const [link] = links;
    const lines = text.split(/\r\n|\r|\n/);
    assert.equal(lines[link!.line]?.slice(link!.start, link!.end), 'Open Message');
  });
});
