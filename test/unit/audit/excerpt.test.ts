import assert from 'node:assert/strict';
import { Excerpts } from '../../../src/core/audit/excerpt.ts';
import { NEVER_YIELDS } from '../../../src/core/pace/yielder.ts';
import { loadEncoding } from '../../../src/core/tokens/token-counter.ts';

const counter = await loadEncoding('o200k_base');

const excerpt = (texts: readonly string[], statements: readonly string[], room: number): ReturnType<Excerpts['of']> =>
  new Excerpts(
    texts.map((text) => ({ role: 'user', content: [{ type: 'text', text }] })),
    counter,
    NEVER_YIELDS,
  ).of(statements, room);

/** Filler without content. */
const filler = (from: number, count: number): string =>
  Array.from({ length: count }, (_, at) => `Line ${from + at} goes on about the weather of that day.`).join('\n');

describe('what a model is shown of messages', () => {
  it('is all of it where it fits, under its speakers', async () => {
    const { text, messages } = await excerpt(['One is said.\nTwo is said.', 'Three is said.'], ['Two.'], 200);
    assert.equal(text, '[1] user:\nOne is said.\nTwo is said.\n[2] user:\nThree is said.');
    assert.deepEqual(messages, [0, 1]);
  });

  it('is else what tells most of each statement with the lines around it, in order, with marks of what is left out', async () => {
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

  it('takes no more tokens than it may, whatever the messages are', async () => {
    const short = Array.from({ length: 400 }, (_, at) => `Yes, ${at}.`);
    const long = [`It was said that ${'x'.repeat(30_000)}`, `And ${'y z '.repeat(9_000)}`];
    for (const texts of [short, long, [...long, ...short]]) {
      for (const room of [50, 300, 2_000]) {
        const { text } = await excerpt(texts, ['Yes.', 'It was said.'], room);
        assert.ok(counter.text(text) <= room, `${counter.text(text)} of ${room}`);
      }
    }
  });

  it('is of a long line the part that tells of the statement, with whole characters', async () => {
    const line = `${'a😀b '.repeat(2_000)}the gateway restarts at noon ${'c😀d '.repeat(2_000)}`;
    const { text } = await excerpt([line], ['The gateway restarts at noon.'], 2_000);
    assert.match(text, /^…\n\[1\] user:\n[^…]*gateway restarts at noon [^…]*…$/u);
    assert.ok(text.length < 3_200 && text.isWellFormed());
  });

  it('tells of each statement before it tells more of any, and names those for which there was no room', async () => {
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
    assert.deepEqual(
      [...narrow.unshown].map((at) => names[at]),
      names.filter((name) => !shown.includes(name)),
    );
  });
});
