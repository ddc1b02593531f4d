import assert from 'node:assert/strict';
import { SourceExcerpts } from '../../../src/core/audit/source-excerpts.ts';
import { NEVER_YIELDS } from '../../../src/core/pace/yielder.ts';
import { loadEncoding } from '../../../src/core/tokens/token-counter.ts';

const counter = await loadEncoding('o200k_base');

const excerpt = (
  texts: readonly string[],
  statements: readonly string[],
  room: number,
): ReturnType<SourceExcerpts['of']> =>
  new SourceExcerpts(
    texts.map((text) => ({ role: 'user', content: [{ type: 'text', text }] })),
    counter,
    NEVER_YIELDS,
  ).of(statements, room);

const filler = (from: number, count: number): string =>
  Array.from({ length: count }, (_, at) => `Line ${from + at} goes on about the weather of that day.`).join('\n');

describe('excerpt of messages for a model', () => {
  it('contains all messages with their speakers if they fit', async () => {
    const { text, messages } = await excerpt(['One is said.\nTwo is said.', 'Three is said.'], ['Two.'], 200);
    assert.equal(text, '[1] user:\nOne is said.\nTwo is said.\n[2] user:\nThree is said.');
    assert.deepEqual(messages, [0, 1]);
  });

  it('contains the best passages per statement with context if not all fits, in order, marking omissions', async () => {
    const texts = [
      `${filler(0, 60)}\nThe gateway restarts at noon.\n${filler(60, 60)}`,
      filler(200, 60),
      `${filler(300, 60)}\nOlga wrote the migration.\n${filler(360, 60)}`,
    ];
    const { text, messages } = await excerpt(
      texts,
      ['Olga wrote the migration.', 'The gateway restarts at noon.'],
      330,
    );
    assert.deepEqual(messages, [0, 2]);
    assert.match(
      text,
      /^…\n\[1\] user:\n[^…[]*The gateway restarts at noon\.\n[^…[]*…\n\[3\] user:\n[^…[]*Olga wrote the migration\.\n[^…[]*…$/,
    );
    assert.ok(text.match(/^Line \d+ /gm)!.length >= 6, 'the lines around them are shown too');
  });

  it('never exceeds its token limit, whatever the messages are', async () => {
    const short = Array.from({ length: 400 }, (_, at) => `Yes, ${at}.`);
    const long = [`It was said that ${'x'.repeat(30_000)}`, `And ${'y z '.repeat(9_000)}`];
    for (const texts of [short, long, [...long, ...short]]) {
      for (const room of [50, 300, 2_000]) {
        const { text } = await excerpt(texts, ['Yes.', 'It was said.'], room);
        assert.ok(counter.text(text) <= room, `${counter.text(text)} of ${room}`);
      }
    }
  });

  it('cuts a long line to the part about the statement, without splitting characters', async () => {
    const line = `${'a😀b '.repeat(2_000)}the gateway restarts at noon ${'c😀d '.repeat(2_000)}`;
    const { text } = await excerpt([line], ['The gateway restarts at noon.'], 2_000);
    assert.match(text, /^…\n\[1\] user:\n[^…]*gateway restarts at noon [^…]*…$/u);
    assert.ok(text.length < 3_200 && text.isWellFormed());
  });

  it('covers every statement before adding detail to any, and names those that had no room', async () => {
    const long = (name: string): string => `${name} is told of ${'at some length '.repeat(60)}`;
    const names = ['Anna', 'Berta', 'Clara', 'Dora', 'Elsa', 'Frieda'];
    const texts = names.map((name) => `${filler(0, 20)}\n${long(name)}\n${filler(20, 20)}`);
    const statements = names.map((name) => `${name} is told of.`);
    const wide = await excerpt(texts, statements, 1_800);
    for (const name of names) assert.ok(wide.text.includes(`${name} is told of`), name);
    assert.equal(wide.unshown.size, 0);
    const narrow = await excerpt(texts, statements, 400);
    const shown = names.filter((name) => narrow.text.includes(`${name} is told of`));
    assert.ok(shown.length > 0 && shown.length < names.length);
    const unshown = [...narrow.unshown].map((at) => names[at]);
    const expected = names.filter((name) => !shown.includes(name));
    assert.deepEqual(unshown, expected);
  });
});
