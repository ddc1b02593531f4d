import assert from 'node:assert/strict';
import { sentencesOf, clausesOf } from '../../../src/core/text/sentences.ts';
import { lineSteps } from '../../../src/core/text/lines.ts';
import { runSynchronously } from '../../../src/core/pace/steps.ts';

const sentences = (text: string): string[] => sentencesOf(text).map(({ start, end }) => text.slice(start, end));
const clauses = (text: string): string[] =>
  clausesOf(text, { start: 0, end: text.length }).map(({ start, end }) => text.slice(start, end));
const kinds = (text: string, tool = false): string[] =>
  runSynchronously(lineSteps(text, { tool })).map(({ kind }) => kind);

describe('sentences', () => {
  it('end before a sentence that begins with a lowercase letter, as in chats', () => {
    assert.deepEqual(sentences('yep. alias was 20. fixed: `nvm alias 24`. CI too?'), [
      'yep.',
      'alias was 20.',
      'fixed: `nvm alias 24`.',
      'CI too?',
    ]);
  });

  it('continue after abbreviations and numbers, and inside backticks', () => {
    assert.deepEqual(sentences('Use e.g. zod. Dr. Smith said v1.2.3 is ok! And `foo. Bar` stays.'), [
      'Use e.g. zod.',
      'Dr. Smith said v1.2.3 is ok!',
      'And `foo. Bar` stays.',
    ]);
    assert.deepEqual(sentences('1. Do it.'), ['1. Do it.']);
  });

  it('continue after titles and abbreviations in other languages', () => {
    const said = [
      'La revisión es con la Dra. Beltrán en la Avda. Colón 4.',
      'Me llamó la Srta. Prof. Gómez.',
      'Die Praxis liegt in der Hauptstr. 12, Tel. 0221 555.',
      'Der Preis ist 40 € zzgl. Versand.',
      'Das ist alles.',
    ];
    assert.deepEqual(sentences(said.join(' ')), said);
  });

  it('continue after German ordinals and dates', () => {
    const said = [
      'Die Deadline ist der 2. März, das Budget 21.000 €.',
      'Zwischen dem 3. und 7. April kommt die Spedition.',
      'Sie kommt am 5.03. um 7:30 Uhr.',
      'Im 2. Quartal nehmen wir die 3. Variante.',
      'Er wohnt im 2. Stock von Haus 3.',
      'Das ist alles.',
    ];
    assert.deepEqual(sentences(said.join(' ')), said);
  });

  it('are found in scripts without spaces', () =>
    assert.deepEqual(sentences('方案Bにします。DBは変更しないで！'), ['方案Bにします。', 'DBは変更しないで！']));

  it('stay whole in a very long line', () => {
    const one = 'The gateway listens on port 8401, and nobody else may use it.';
    const found = sentencesOf(`${one} `.repeat(300).trim());
    assert.equal(found.length, 300);
    assert.ok(found.every(({ start, end }) => end - start === one.length));
  });

  it('never split a surrogate pair or lose a character of a long line', () => {
    const text = '😀'.repeat(5_000) + ' ' + 'word '.repeat(3_000);
    for (const quote of sentences(text)) assert.ok(quote.isWellFormed());
    assert.equal(sentences(text).join('').replace(/\s/g, ''), text.replace(/\s/g, ''));
  });
});

describe('clauses', () => {
  it('separate a request from the statement before it', () => {
    assert.deepEqual(
      clauses('I am using Bootstrap 5.3.0 and I prefer it over Foundation, can you help me with the navigation bar?'),
      ['I am using Bootstrap 5.3.0 and I prefer it over Foundation', 'can you help me with the navigation bar?'],
    );
    assert.deepEqual(clauses('Uso PostgreSQL 17 en producción, ¿qué opinas?'), [
      'Uso PostgreSQL 17 en producción, ¿qué opinas?',
    ]);
    assert.deepEqual(clauses('Tengo la cita el martes, por favor cámbiala al jueves'), [
      'Tengo la cita el martes',
      'por favor cámbiala al jueves',
    ]);
  });

  it('are at most 260 characters long', () => {
    for (const clause of clauses('and so on, '.repeat(100))) assert.ok(clause.length <= 260);
  });
});

describe('lines', () => {
  it('are classified by kind, such as prose, code, output or diff', () => {
    const text =
      'Fixed it:\n```ts\nconst a = 1;\n```\n```\nError: boom\n```\n```diff\n+ a\n```\n- an item\n# Title\n> said';
    const expected = 'prose markup code markup markup output markup markup diff markup bullet heading quoted';
    assert.equal(kinds(text).join(' '), expected);
    assert.deepEqual(kinds('anything at all', true), ['output']);
    assert.deepEqual(kinds('src/a.ts:1:2: error'), ['output']);
  });

  it('are in a block until a fence that is as long and has no language, or the tag that closes it', () => {
    assert.equal(kinds('````md\n```\na\n```\n````\nb').join(' '), 'markup code code code markup prose');
    assert.equal(kinds('<source>ts\n```\n</source>\na').join(' '), 'markup code markup prose');
    assert.equal(kinds('<code>a</code> is winter time.\nSo is b.').join(' '), 'prose prose');
    assert.equal(kinds('```npm test``` fails.\nPlease look.').join(' '), 'prose prose');
  });

  it('are in a block that a message begins with, unless its first fence closes one of an earlier message', () => {
    assert.equal(kinds('```\nboom\n```\nPlease look.').join(' '), 'markup output markup prose');
    assert.equal(kinds('```\nI added it.').join(' '), 'markup prose');
    assert.equal(
      kinds('a();\n```\nI added it:\n```ts\nb\n```\nc').join(' '),
      'code markup prose markup code markup prose',
    );
  });

  it('keep a placeholder that they begin with, but not a tag', () => {
    const said = '<userId> must never be logged.\n<task>Log it.</task>\n<host>:<port> is set.';
    const lines = runSynchronously(lineSteps(said, { tool: false }));
    assert.deepEqual(
      lines.map(({ kind, start, end }) => `${kind} ${said.slice(start, end)}`),
      ['prose <userId> must never be logged.', 'prose Log it.', 'prose <host>:<port> is set.'],
    );
  });

  it('are prose under a label that only begins like a call of a tool', () => {
    assert.equal(kinds('**Tool names:**\nWe say recall.\nTool use is rare.').join(' '), 'prose prose prose');
  });

  it('are prose after a conflict of a merge or rebase', () => {
    for (const end of ['main', '9b1e0d2 (Read the table)', '9b1e0d2... Read the table'])
      assert.equal(kinds(`<<<<<<< HEAD\na\n=======\nb\n>>>>>>> ${end}\nKeep b.`).at(-1), 'prose', end);
  });

  it('mark where a model was thinking', () => {
    const lines = runSynchronously(lineSteps('<think>\nhmm\n</think>\nDone.', { tool: false }));
    assert.deepEqual(
      lines.filter(({ kind }) => kind === 'prose').map(({ thinking }) => thinking),
      [true, false],
    );
  });
});
