import assert from 'node:assert/strict';
import { messageId } from '../../../src/core/model/ids.ts';
import { localModel } from '../../../src/providers/local.ts';
import type { LocalHit, LocalSearch } from '../../../src/providers/local.ts';
import { languageOf } from '../../../src/providers/local-texts.ts';
import { assistant, image, user } from '../../support/chat-messages.ts';
import { ask, turn } from './protocols.ts';

const AT = Date.parse('2026-03-04T10:00:00Z');
const hit = (text: string, number: number): LocalHit => ({
  text,
  message: messageId(`m-${number}`),
  role: 'user',
  at: AT,
  position: number - 1,
});

/** A session whose search matches any word of the query. */
const memory =
  (...hits: readonly LocalHit[]): LocalSearch =>
  (query, limit) => {
    const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
    const found = hits.filter((each) => words.some((word) => each.text.toLowerCase().includes(word)));
    return Promise.resolve(found.slice(0, limit));
  };

describe('the local model', () => {
  it('quotes the session, with links to the messages', async () => {
    const model = localModel(memory(hit('We decided on Postgres 16\nfor the ledger.', 12)));
    const { text, ending, usage } = await turn(model, ask('Which database, Postgres?'));
    assert.ok(text.includes('> We decided on Postgres 16\n> for the ledger.'));
    assert.ok(text.includes('[message 12](threadkeeper:message/m-12)'));
    assert.equal(ending, 'complete');
    assert.equal(usage, undefined);
  });

  it('dates a quote in the local time zone', async () => {
    const { TZ } = process.env;
    process.env['TZ'] = 'America/Los_Angeles';
    try {
      const late = { ...hit('Postgres 16', 1), at: Date.parse('2026-03-05T02:00:00Z') };
      const { text } = await turn(localModel(memory(late)), ask('Postgres?'));
      assert.match(text, /user, 2026-03-04,/);
    } finally {
      if (TZ === undefined) delete process.env['TZ'];
      else process.env['TZ'] = TZ;
    }
  });

  it('says in each reply that no model is configured, and how to select one', async () => {
    for (const model of [localModel(memory()), localModel(memory(hit('Postgres', 1)))]) {
      const { text } = await turn(model, ask('What about Postgres and the rest?'));
      assert.match(text, /No model is configured/);
      assert.match(text, /Threadkeeper: Select Model/);
    }
  });

  it('says if nothing in the session matches, unless the question is its first message', async () => {
    const about = (...messages: readonly string[]) =>
      turn(localModel(memory()), ask('', { messages: messages.map((text) => user(text)) }));
    assert.match((await about('Hello', 'What about the weather?')).text, /Nothing in this session matches/);
    assert.doesNotMatch((await about('What about the weather?')).text, /Nothing in this session matches/);
  });

  it('quotes neither the question itself nor the same text twice', async () => {
    const model = localModel(memory(hit('postgres port?', 9), hit('Port 5433', 1), hit('port  5433', 2)));
    const { text } = await turn(model, ask('Postgres port?'));
    assert.equal(text.match(/threadkeeper:message/g)?.length, 1);
  });

  it('quotes the relevant passage of a long message', async () => {
    const long = `${'Some other line of a long log.\n'.repeat(80)}The staging port is 5433, behind pgbouncer.\n${'More lines.\n'.repeat(80)}`;
    const { text } = await turn(localModel(memory(hit(long, 3))), ask('What is the staging port of pgbouncer?'));
    assert.ok(text.includes('The staging port is 5433, behind pgbouncer.'));
    assert.ok(text.length < 1500);
  });

  it('closes a code block that the quote cuts off, so that the citation stays outside it', async () => {
    const { text } = await turn(localModel(memory(hit('Like this:\n```ts\nconst postgres = 1;', 2))), ask('postgres'));
    assert.match(text, /> const postgres = 1;\n> ```\n>\n> — /);
  });

  it('streams in small chunks and stops when aborted', async () => {
    const model = localModel(memory(hit('Postgres', 1), hit('Postgres two', 2)));
    const stop = new AbortController();
    const { fault, text } = await turn(model, ask('Postgres'), stop.signal, () => stop.abort());
    assert.equal(fault?.reason, 'cancelled');
    assert.match(text, /^Found in this session/);
    assert.doesNotMatch(text, /No model/);
  });

  it('answers the text of the newest user message, even if it also contains an image', async () => {
    const request = ask('', { messages: [user('zebra'), assistant('yes'), user(image(''), 'redis')] });
    const { text } = await turn(localModel(memory(hit('Redis is the cache', 4), hit('zebra', 5))), request);
    assert.ok(text.includes('Redis is the cache') && !text.includes('zebra'));
  });

  const questions: readonly (readonly [string, string, RegExp])[] = [
    ['es', '¿Qué base de datos es la que usamos para el proyecto?', /No hay ningún modelo/],
    ['ja', 'データベースはどれですか', /モデルが設定されていません/],
    ['zh', '我们用哪个数据库', /尚未配置模型/],
    ['de', 'Welche Datenbank haben wir für das Projekt?', /kein Modell eingerichtet/],
    ['fr', 'Quelle base de données avons-nous pour le projet ?', /Aucun modèle/],
    ['pt', 'Qual é o banco de dados que não usamos em produção?', /Nenhum modelo/],
    ['en', 'Which database did we choose for the project?', /No model/],
  ];
  for (const [language, question, sentence] of questions) {
    it(`answers a question in ${language} in the same language`, async () => {
      assert.equal(languageOf(question), language);
      assert.match((await turn(localModel(memory()), ask(question))).text, sentence);
    });
  }

  it('infers the language from earlier messages if the newest one gives no indication', () => {
    assert.equal(languageOf('src/app/ports.ts', 'Warum ist das nicht grün?'), 'de');
    assert.equal(languageOf('42'), 'en');
    assert.equal(languageOf('npm test -- --grep es', 'Why is this red?'), 'en');
  });

  it('infers the language from both ends of a long text', async () => {
    const question = 'Welche Datenbank haben wir für das Projekt, und wie ist die Adresse? '.repeat(8);
    const log = 'The log of the server is a list of the requests to it.\n'.repeat(1_000);
    const { text } = await turn(localModel(memory()), ask(`${question}${log}${question}`));
    assert.match(text, /kein Modell eingerichtet/);
  });

  it('is not misled by a few words of another script', () => {
    assert.equal(languageOf('What does 設定 mean in the settings file?'), 'en');
    assert.equal(languageOf('Was heißt “ありがとう” in der Datei und warum ist das nicht übersetzt?'), 'de');
    assert.equal(languageOf('git rebase main feature を実行'), 'ja');
    assert.equal(languageOf('VS Codeでsettings.jsonを開く方法'), 'ja');
    assert.equal(languageOf('请解释 src/app/ports.ts 中的 ChatModel'), 'zh');
  });

  it('infers the language of a short text from its most frequent words, unless two languages share them', () => {
    assert.equal(languageOf('wie geht es dir'), 'de');
    assert.equal(languageOf('es geht', '¿Cómo está?'), 'es');
    assert.equal(languageOf('la'), 'en');
  });
});
