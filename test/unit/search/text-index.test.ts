import assert from 'node:assert/strict';
import v8 from 'node:v8';
import vm from 'node:vm';
import { TextIndex } from '../../../src/core/search/text-index.ts';
import { wordsIn } from '../../../src/core/text/words.ts';
import { alwaysDue } from '../../support/yielders.ts';

function indexOf(texts: Readonly<Record<string, string>>): TextIndex {
  const index = new TextIndex();
  for (const [id, text] of Object.entries(texts)) index.add(id, text);
  return index;
}
const ids = (index: TextIndex, query: string): readonly string[] => index.search(query).map(({ id }) => id);

describe('session search', () => {
  const session = indexOf({
    m1: 'Which database should we use for the cache?',
    m2: 'Let us take Redis for the cache; Postgres was too slow in the benchmark.',
    m3: 'The tests in src/core/userService.test.ts fail with ECONNREFUSED on port 6379.',
    m4: 'I renamed getUserName to fetch_display_name everywhere.',
    m5: '設定ファイルの読み込みでエラーが発生しました。',
    m6: 'Die Prüfung der Größe schlägt fehl, naïve Lösung.',
    m7: 'ฐานข้อมูลเชื่อมต่อไม่ได้',
    m8: '데이터베이스 연결에 실패했습니다',
  });

  it('ranks the text that best matches the query first', () =>
    assert.equal(ids(session, 'why is the cache redis and not postgres')[0], 'm2'));

  it('finds nothing for words that do not occur, or for a query without words', () => {
    assert.deepEqual(ids(session, 'kubernetes'), []);
    assert.deepEqual(ids(session, ' … ?! '), []);
  });

  it('does not match a contraction in a question', () => {
    const index = indexOf({ m0: 'I didn’t see that. It hasn’t come.', m1: 'It isn’t a cache: Redis is the queue.' });
    assert.deepEqual(ids(index, 'Why didn’t you say that Redis hasn’t been the cache?'), ['m1']);
  });

  it('finds identifiers by their full name, their parts and other spellings', () => {
    for (const query of ['getUserName', 'user name', 'get_user_name', 'fetchDisplayName', 'display'])
      assert.equal(ids(session, query)[0], 'm4', query);
    for (const query of ['userService.test.ts', 'src/core', 'econnrefused', '6379'])
      assert.equal(ids(session, query)[0], 'm3', query);
  });

  it('finds words in any script, with or without accents', () => {
    assert.equal(ids(session, 'エラー')[0], 'm5');
    assert.equal(ids(session, 'ファイル')[0], 'm5');
    assert.equal(ids(session, 'grosse losung').at(0), 'm6');
    assert.equal(ids(session, 'PRÜFUNG')[0], 'm6');
    assert.equal(ids(session, 'ข้อมูล')[0], 'm7');
    assert.equal(ids(session, '연결')[0], 'm8');
  });

  it('finds words and emoji without a space between them, and letters of rare scripts', () => {
    const index = indexOf({ m0: '🎉Deployed👍', m1: 'nothing', m2: '𝐴𝑙𝑝𝒽𝑎 letters' });
    for (const query of ['deployed', '🎉', '👍', '🎉Deployed']) assert.deepEqual(ids(index, query), ['m0'], query);
    assert.deepEqual(ids(index, '𝐴𝑙𝑝𝒽𝑎'), ['m2']);
  });

  for (const [language, small, answers] of [
    [
      'Japanese',
      'テストを実行してください。|この関数は何をしますか？|どのようにすればいいですか？|エラーが出ています。',
      [
        ['データベースはSQLiteに決定しました。', 'どのデータベースにしましたか？'],
        ['予約の最大時間は九十分です。', '予約の最大時間は何分ですか？'],
        ['週の始まりは月曜日とします。', '週は何曜日から始まりますか？'],
      ],
    ],
    [
      'Chinese',
      '请运行测试。|这个函数是做什么的？|应该怎么做呢？|明白了，我们进行下一步。',
      [
        ['我们决定数据库使用SQLite。', '我们选择了哪个数据库？'],
        ['预订的最长时间是九十分钟。', '预订最长可以多久？'],
        ['一周从星期一开始。', '一周从哪一天开始？'],
      ],
    ],
  ] as const) {
    it(`ranks the answer to a plain question in ${language} first among 400 texts of small talk`, () => {
      const index = new TextIndex();
      answers.forEach(([text], at) => index.add(`answer ${at}`, text));
      const talk = small.split('|');
      for (let n = 0; n < 400; n++) index.add(`small ${n}`, `${talk[n % 4]!}${talk[(n * 3 + 1) % 4]!}`);
      for (const [at, [, question]] of answers.entries())
        assert.equal(index.search(question)[0]?.id, `answer ${at}`, question);
    });
  }

  it('ranks prose above code with the same words, where code is discounted', () => {
    const code = 'cache.redis.open(timeout);\nconst timeout = cache.redis.timeout();\n'.repeat(9);
    const listing = `Here is the file:\n${code}`;
    for (const discountsCode of [false, true]) {
      const index = indexOf({
        prose: 'We take Redis for the cache. Its timeout is 50 ms, because of the pier’s network.',
      });
      index.add('fenced', `Here is the file:\n\`\`\`ts\n${code}\`\`\``, { discountsCode });
      index.add('pasted', listing, { discountsCode });
      assert.deepEqual(ids(index, 'redis cache timeout').length, 3);
      assert.equal(ids(index, 'redis cache timeout')[0] === 'prose', discountsCode);
    }
  });

  it('finds every word of a text whose code is discounted, also numbers at the beginning of lines', () => {
    const text = '8080\tgateway\n\n443) HTTPS\n```ts\n50→const queue = 7;\n```\n<details><summary>Menu</summary>\nlamp';
    const index = new TextIndex();
    index.add('text', text, { discountsCode: true });
    for (const word of wordsIn(text)) assert.deepEqual(ids(index, word), ['text'], word);
  });

  it('searches for a question before or after a long text, not for everything in it', () => {
    const log = `${' '.repeat(500)}${'The zookeeper is out.\n'.repeat(10_000)}${' '.repeat(500)}`;
    const index = indexOf({ port: 'The port is 8080.', zoo: 'The zookeeper is out.' });
    for (const query of [`${log}Which port?`, `Which port?${log}`]) assert.deepEqual(ids(index, query), ['port']);
  });

  it('tolerates a typo in a long word and matches prefixes, ranked below whole words', () => {
    assert.equal(ids(session, 'benchmrak')[0], 'm2'); // two letters swapped in a long word
    assert.deepEqual(ids(session, 'cahce').includes('m1'), false); // and in a short one
    assert.equal(ids(session, 'benchmak')[0], 'm2');
    assert.equal(ids(session, 'bench')[0], 'm2');
    const index = indexOf({ whole: 'a cache', longer: 'a cacheable' });
    assert.deepEqual(ids(index, 'cache'), ['whole', 'longer']);
  });

  it('does not match a similar number', () => assert.deepEqual(ids(session, '6378'), []));
});

describe('text index', () => {
  it('respects the requested kinds, limit and filter', () => {
    const index = new TextIndex();
    for (let i = 0; i < 5; i++) index.add(`m${i}`, 'the retry limit', { kind: 'message' });
    index.add('e1', 'the retry limit is five', { kind: 'event' });
    index.add('x', 'the retry limit');
    assert.deepEqual(
      index.search('retry', { kinds: ['event'] }).map(({ id }) => id),
      ['e1'],
    );
    assert.equal(index.search('retry', { limit: 3 }).length, 3);
    assert.ok(!index.search('retry', { accepts: (id) => id !== 'm2' }).some(({ id }) => id === 'm2'));
  });

  it('ranks by weight, and newest first among equals', () => {
    const index = new TextIndex();
    index.add('old', 'same words');
    index.add('new', 'same words');
    index.add('heavy', 'same words', { weight: 2 });
    assert.deepEqual(ids(index, 'same words'), ['heavy', 'new', 'old']);
  });

  it('replaces the text of an existing ID', () => {
    const index = indexOf({ m: 'the first draft' });
    index.add('m', 'something else');
    assert.deepEqual(ids(index, 'draft'), []);
    assert.deepEqual(ids(index, 'something'), ['m']);
    assert.equal(index.size, 1);
  });

  it('keeps words in memory, but not the texts they are from', () => {
    v8.setFlagsFromString('--expose-gc');
    const collectGarbage = vm.runInNewContext('gc') as () => void;
    const usedBytes = (): number => {
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    const index = new TextIndex();
    const before = usedBytes();
    let units = 0;
    for (let n = 0; n < 40; n++) {
      const text = `${'to be or not to be '.repeat(10_000)}incomprehensibility${n}`;
      index.add(`m${n}`, text);
      units += text.length;
    }
    const kept = usedBytes() - before;
    assert.ok(kept < units / 4, `${kept} bytes for texts of ${units}`);
    assert.deepEqual(ids(index, 'incomprehensibility7'), ['m7']);
  });

  it('no longer finds removed texts, but still finds the others', () => {
    const index = new TextIndex();
    for (let i = 0; i < 300; i++) index.add(`m${i}`, `message number n${i} about caching`);
    for (let i = 0; i < 290; i++) index.remove(`m${i}`);
    index.remove('never there');
    assert.equal(index.size, 10);
    assert.deepEqual(ids(index, 'n295'), ['m295']);
    assert.deepEqual(ids(index, 'n12'), []);
    assert.equal(index.search('caching', { limit: 100 }).length, 10);
    index.add('m12', 'message number n12 is back');
    assert.equal(ids(index, 'n12')[0], 'm12');
  });

  it('adds a long text in steps and makes it searchable only when it is complete', async () => {
    const index = indexOf({ m: 'short draft' });
    let seen = 0;
    const text = Array.from({ length: 20_000 }, (_, i) => `word${i}`).join(' ');
    const look = alwaysDue(() => {
      seen++;
      assert.deepEqual(ids(index, 'draft'), ['m']);
      assert.deepEqual(ids(index, 'word7'), []);
    });
    await index.addYielding('m', text, {}, look);
    assert.ok(seen > 5, String(seen));
    assert.deepEqual(ids(index, 'word19999'), ['m']);
    assert.deepEqual(ids(index, 'draft'), []);
  });

  it('stays unchanged when adding a long text is cancelled', async () => {
    const index = indexOf({ m: 'short draft' });
    const text = Array.from({ length: 20_000 }, (_, i) => `word${i}`).join(' ');
    let left = 8;
    const yielder = alwaysDue(() => {
      if (left-- === 0) throw new Error('cancelled');
    });
    await assert.rejects(index.addYielding('m', text, {}, yielder), /cancelled/);
    assert.deepEqual(ids(index, 'draft'), ['m']);
    assert.deepEqual(ids(index, 'word1'), []);
  });
});
