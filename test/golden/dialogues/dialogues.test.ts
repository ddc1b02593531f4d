import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { matchesGolden } from '../../support/golden.ts';
import { StrictServer } from '../../support/strict/strict-server.ts';
import { runJson } from '../../unit/cli/run-cli.ts';
import { DIALOGUES, type Dialogue } from './dialogues.ts';
import { folderForAllTests } from '../../support/per-test.ts';
import { jsonl } from '../../support/tool-homes/conversation.ts';

describe('command-line compression of a dialogue of short messages', () => {
  let folder = '';
  folderForAllTests((made) => (folder = made));

  /** The request after the dialogue has grown turn by turn; `front` is everything before the messages. */
  async function sent(
    { name, preset, lines }: Dialogue,
    ...options: readonly string[]
  ): Promise<{ readonly front: string; readonly all: string }> {
    const file = path.join(folder, `${name}.jsonl`);
    const said = lines.map((content, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content }));
    writeFileSync(file, jsonl(...said));
    const grown = ['--turn-by-turn', '--policy', 'steady', '--preset', preset, ...options];
    const { messages, compressions } = (await runJson('compress', file, ...grown)) as {
      readonly messages: readonly { readonly role: string; readonly content: string }[];
      readonly compressions: readonly { readonly at: number; readonly outcome: string }[];
    };
    const outcomes = compressions.map(({ at, outcome }) => [at, outcome]);
    const expected = [20, 30].map((at) => [at, 'committed']);
    assert.deepEqual(outcomes, expected);
    const texts = (wanted: readonly { readonly content: string }[]): string =>
      wanted.map(({ content }) => content).join('\n');
    return { front: texts(messages.filter(({ role }) => role === 'system')), all: texts(messages) };
  }

  for (const dialogue of DIALOGUES) {
    const { name, needed, unwanted, prose } = dialogue;

    it(`keeps names, dates, decisions and open items without a model, but no courtesies or dice rolls (${name})`, async () => {
      const { front, all } = await sent(dialogue);
      for (const one of needed) assert.match(all, one);
      for (const one of unwanted) assert.doesNotMatch(front, one);
      matchesGolden(import.meta.url, name, `${front}\n`);
    });

    for (const form of ['prose', 'JSON'])
      it(`includes the whole ${form} summary of a server, without source lines beside it (${name})`, async () => {
        let asked = 0;
        const answer = (): string => {
          const narrative = prose[asked++]!;
          return form === 'prose' ? narrative : JSON.stringify({ narrative, decisions: [], openSteps: [] });
        };
        await using server = await StrictServer.start('openai', { answer });
        const at = ['--provider', 'openai', '--model', 'gpt-4o-mini', '--base-url', `${server.url}/v1`];
        const { front, all } = await sent(dialogue, ...at);
        assert.equal(asked, 2, 'one call for each compression');
        const summaries = front.replace(/<key_events[^]*?<\/key_events[^>]*>/g, '');
        for (const told of prose) assert.ok(summaries.includes(told), front);
        assert.doesNotMatch(summaries, /^(?:user|assistant): /m);
        for (const one of needed) assert.match(all, one);
        for (const one of unwanted) assert.doesNotMatch(front, one);
      });
  }
});
