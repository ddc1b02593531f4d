import assert from 'node:assert/strict';
import MarkdownIt from 'markdown-it';
import type * as ParticipantModule from '../../../src/host/participant/participant.ts';
import { hostIn, type MarkdownString } from '../../support/fake-editor.ts';

const { answerChatRequest } = await hostIn({})<typeof ParticipantModule>('participant/participant.ts');

describe('answers in VS Code’s own chat', () => {
  async function answer(
    command: string | undefined,
    archive: object,
    isCancellationRequested = false,
  ): Promise<string> {
    let said = '';
    const stream = {
      progress: () => undefined,
      markdown: (text: string | MarkdownString) => (said += typeof text === 'string' ? text : text.value),
    };
    await answerChatRequest(archive as never, { prompt: 'Which port?', command }, stream, {
      isCancellationRequested,
    } as never);
    return said;
  }

  it('keep all lines of a quote in the quote, also after terminal progress output', async () => {
    const text = 'Loading\r\rThe token is needed.\r\n\r\nDone.\n\nEnd.';
    const recall = () => Promise.resolve([{ session: 'S', message: 1, role: 'tool', text }]);
    const html = new MarkdownIt().render(await answer(undefined, { recall }));
    const outside = html.replace(/<blockquote>[^]*?<\/blockquote>/g, '');
    assert.doesNotMatch(outside, /Loading|token|Done|End/);
    assert.match(outside, /S,\u00a0Message\u00a01/);
  });

  it('do not say that there are no results or decisions when canceled', async () => {
    assert.equal(await answer(undefined, { recall: () => Promise.resolve(undefined) }, true), '');
    const decisions = () => Promise.resolve({ memory: [], decisions: [] });
    assert.equal(await answer('decisions', { decisions }, true), '');
    assert.match(await answer('decisions', { decisions }), /^No decisions/);
  });
});
