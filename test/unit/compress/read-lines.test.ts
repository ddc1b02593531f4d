import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { buildCorpus } from '../../../src/core/compress/corpus.ts';
import { buildSummarizerInput } from '../../../src/core/compress/summarizer-input.ts';
import type { Role } from '../../../src/core/model/message.ts';
import { root } from '../../../scripts/support/paths.ts';
import { counter, pace, transcript } from './summarize-fixtures.ts';

interface Case {
  readonly title: string;
  readonly text: string;
  readonly informative: readonly string[];
  readonly repeated: readonly string[];
}

/** The cases of a file, with `factor` times as many repeated lines. The file's beginning explains the marks. */
function casesOf(name: string, factor = 1): Case[] {
  const file = readFileSync(path.join(root, 'test/fixtures/read-lines', name), 'utf8');
  return file
    .split(/^=== /m)
    .slice(1)
    .map((part) => {
      const [title = '', ...marked] = part.trimEnd().split('\n');
      const lines = marked.flatMap((line) => {
        const [, mark = '', times = '', text = ''] = /^(?: {2}|([>x])(\d*) )?(.*)$/.exec(line)!;
        const numbers = Array.from({ length: times === '' ? 1 : Number(times) * factor }, (_, n) => `${n + 10}`);
        return numbers.map((number) => ({ mark, text: times === '' ? text : text.replaceAll('#', number) }));
      });
      const textsOf = (mark: string): string[] => lines.filter((one) => one.mark === mark).map(({ text }) => text);
      return {
        title,
        text: lines.map(({ text }) => text).join('\n'),
        informative: textsOf('>'),
        repeated: textsOf('x'),
      };
    });
}

const unspaced = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** Repeated lines of which at least some may be left out. */
const MAX_REPEATED = 3;

async function checkRead(one: Case, role: Role, text: string, budget: number): Promise<void> {
  const session = transcript(
    ['tool', 'The service is ready.'],
    ['user', 'Please check the ferry service, and say what you find.'],
    [role, text],
    ['assistant', 'The check of the ferry is finished.'],
  );
  const corpus = await buildCorpus(session, pace);
  const input = await buildSummarizerInput(corpus, { from: 0, to: session.length - 1 }, budget, counter, pace);
  const isRead = (line: string): boolean => unspaced(input).includes(unspaced(line));
  assert.deepEqual(
    one.informative.filter((line) => !isRead(line)),
    [],
    `${one.title}: lines not read of\n${text}\nin\n${input}`,
  );
  const repeated = one.repeated.filter(isRead);
  assert.ok(role === 'user' || repeated.length <= MAX_REPEATED, `read too often: ${repeated.join('\n')}`);
}

const call = (output: string): string =>
  '<tool-use data-tool-type="shell" data-tool-name="Bash"><details>\n' +
  `<summary>Tool use: **Bash** \`make check\`</summary>\n\n\`\`\`text\n${output}\n\`\`\`\n\n</details></tool-use>`;

describe('what the summarizer reads', () => {
  describe('of an output', () => {
    for (const one of casesOf('outputs.txt')) {
      it(`of ${one.title}: what informs, from a tool, in a fence, or pasted`, async () => {
        const { text } = one;
        await checkRead(one, 'tool', text, 1_500);
        await checkRead(one, 'tool', call(text), 1_500);
        await checkRead(one, 'assistant', call(text), 1_500);
        await checkRead(one, 'user', `It prints this:\n\`\`\`\n${text}\n\`\`\`\nWhat is wrong?`, 1_500);
        await checkRead(one, 'user', `It prints this:\n\n${text}\n\nWhat is wrong?`, 1_500);
      });
    }

    it('hundreds of lines long: what informs', async () => {
      for (const one of casesOf('outputs.txt', 10)) await checkRead(one, 'tool', one.text, 800);
    });
  });

  describe('of a message', () => {
    for (const one of casesOf('messages.txt')) {
      it(`with ${one.title}: what is said`, async () => {
        await checkRead(one, 'user', one.text, 1_500);
        await checkRead(one, 'assistant', one.text, 1_500);
      });
    }
  });
});
