import assert from 'node:assert/strict';
import { fitSummary } from '../../../src/core/compress/render-summary.ts';
import { parseStructuredSummary } from '../../../src/core/compress/parse-summary.ts';
import type { StructuredSummary } from '../../../src/core/model/summary.ts';
import { counter } from './summarize-fixtures.ts';

const json = '{"narrative":"They chose Postgres.","decisions":[{"what":"Postgres","why":"JSON columns","when":null}]}';

const parsedSummary = (answer: string): StructuredSummary => {
  const parsed = parseStructuredSummary(answer);
  assert.ok('narrative' in parsed, answer);
  return parsed;
};

describe('parser for a model’s summary', () => {
  for (const [name, answer] of [
    ['on its own', json],
    ['in a code fence', '```json\n' + json + '\n```'],
    ['surrounded by prose', `Here is the summary:\n\n${json}\n\nI hope this helps {truly}.`],
    ['with spaces and line breaks', JSON.stringify(JSON.parse(json), null, 2)],
  ] as const) {
    it(`parses JSON ${name}`, () => {
      const parsed = parsedSummary(answer);
      assert.equal(parsed.narrative, 'They chose Postgres.');
      assert.deepEqual(parsed.decisions, [{ what: 'Postgres', why: 'JSON columns' }]);
      assert.equal(parsed.files, undefined);
    });
  }

  it('accepts keys in snake case and plain strings as entries', () => {
    const lists = '"open_steps":["write docs",""],"failed_attempts":["mutex"],"decisions":["go"],"errors":["EPIPE"]';
    const { openSteps, failedAttempts, decisions, errors } = parsedSummary(`{"narrative":"n",${lists}}`);
    assert.deepEqual(
      [openSteps, failedAttempts, decisions, errors],
      [['write docs'], ['mutex'], [{ what: 'go' }], [{ what: 'EPIPE' }]],
    );
  });

  it('parses plain prose as the narrative, and parses the preset’s own fields', () => {
    assert.equal(parsedSummary('They chose Postgres.').narrative, 'They chose Postgres.');
    const fields = '"quests":["find Kima"],"inventory":[{"what":"a key","why":"cell 3"}]';
    const { quests, inventory } = parsedSummary(`{"narrative":"n",${fields}}`);
    assert.deepEqual([quests, inventory], [['find Kima'], ['a key; cell 3']]);
  });

  for (const [answer, decisions] of [
    ['{"summary":"They chose Postgres."}', []],
    ['```json\n{ "resumen_final": "They chose Postgres." }\n```', []],
    ['{"summary":"They chose Postgres.","decisions":["Postgres"]}', [{ what: 'Postgres' }]],
  ] as const)
    it(`parses a narrative under another name: ${JSON.stringify(answer)}`, () => {
      const parsed = parsedSummary(answer);
      assert.equal(parsed.narrative, 'They chose Postgres.');
      assert.deepEqual(parsed.decisions, decisions);
    });

  for (const prose of [
    'お客様に申し訳ないと謝罪し、予約を変更した。',
    '用户问页面为什么显示“抱歉”，然后改用了 Postgres。',
    'Пользователь: "I can’t connect" — исправили порт.',
  ])
    it(`accepts a summary that mentions an apology: ${prose}`, () => {
      const parsed = parsedSummary(prose);
      assert.equal(parsed.narrative, prose);
    });

  for (const [fault, answer] of [
    ['empty', '  \n'],
    ['not_json', '{"narrative": "cut off he'],
    ['not_json', '{"narrative": 12}'],
    ['not_json', '{"title": "Storage", "summary": "They chose Postgres."}'],
    ['not_json', '{"summary": ["They chose Postgres."]}'],
    ['not_json', '{"status": "ok"}'],
    ['not_json', '{"language": "en", "decisions": ["Postgres"]}'],
    ['not_json', 'They set {"mode": "strict"}.'],
    ['not_json', '{"error": "The record is too long."}'],
    ['not_json', '{"summary": "I’m sorry, but I cannot summarize this."}'],
    ['empty', '{"summary": " "}'],
    ['not_json', JSON.stringify({ narrative: 'n', files: ['x'.repeat(5_000)] })],
    ['refused', 'I’m sorry, but I cannot summarize this.'],
    ['refused', 'Desculpe, não posso ajudar.'],
    ['refused', '大変申し訳ありませんが、要約できません。'],
    ['refused', '“非常抱歉，我无法总结。”'],
  ] as const) {
    it(`reports ${fault} for ${JSON.stringify(answer.slice(0, 40))}`, () => {
      const parsed = parseStructuredSummary(answer);
      assert.ok('kind' in parsed);
      assert.equal(parsed.kind, fault);
    });
  }
});

describe('summary rendered as text', () => {
  const summary: StructuredSummary = {
    topics: ['storage'],
    decisions: [{ what: 'Use Postgres', why: 'JSON columns', when: 'May' }],
    preferences: ['no ORM'],
    guidance: ['run migrations by hand'],
    errors: [{ what: 'EPIPE on flush', solution: 'retry' }, { what: 'slow start' }],
    failedAttempts: ['a mutex'],
    files: ['src/a.ts', 'src/b.ts'],
    openSteps: ['write docs'],
    outcomes: ['tests pass'],
    narrative: 'They chose a store. Then they moved the data.',
  };

  it('lists its sections in a fixed order', () => {
    const text =
      'They chose a store. Then they moved the data.\n**Decisions**\n- Use Postgres — JSON columns (May)\n' +
      '**Preferences**\n- no ORM\n**Guidance**\n- run migrations by hand\n**Errors**\n- EPIPE on flush → retry\n' +
      '- slow start\n**Failed Attempts**\n- a mutex\n**Outcomes**\n- tests pass\n**Open**\n- write docs\n' +
      '**Files**\n- src/a.ts, src/b.ts\n**Topics**\n- storage';
    assert.equal(fitSummary(summary, Infinity, counter).text, text);
  });

  it('keeps entries that differ only by a sign', () => {
    const facts = ['Prefers C', 'Prefers C++', 'Prefers C#', '-5 °C', '5 °C', 'Python 3.10', 'Python 3.10+'];
    const text = fitSummary({ decisions: [], errors: [], narrative: '', facts }, Infinity, counter).text;
    const expected = facts.map((fact) => `- ${fact}`);
    assert.deepEqual(text.split('\n').slice(1), expected);
  });

  it('lists an entry once, whatever its markup and punctuation', () => {
    const facts = [
      'Postgres 17 is used',
      '**Postgres 17 is used**.',
      '- "Postgres 17 is used"',
      'Postgres 17 is used!',
    ];
    const text = fitSummary({ decisions: [], errors: [], narrative: '', facts }, Infinity, counter).text;
    assert.equal(text, '**Facts**\n- Postgres 17 is used');
  });

  it('inserts no spaces between sentences in Chinese and Japanese', () => {
    const narrative = '「明日は東京へ行きます。新幹線を使います」と言った。ホテルは品川。它很好。OK. Done.';
    assert.equal(
      fitSummary({ decisions: [], errors: [], narrative }, Infinity, counter).text,
      '「明日は東京へ行きます。新幹線を使います」と言った。ホテルは品川。它很好。OK. Done.',
    );
  });

  it('drops the least important sections first when space is short', () => {
    const text = fitSummary(summary, 40, counter).text;
    assert.match(text, /Use Postgres/);
    assert.doesNotMatch(text, /Topics|Files/);
    for (const budget of [0, 5, 10, 20, 60])
      assert.ok(counter.text(fitSummary(summary, budget, counter).text) <= budget);
  });

  it('drops common statements before those unique to this summary, and repeats no sentence', () => {
    const told = {
      ...summary,
      decisions: [],
      preferences: [],
      narrative: 'They chose a store. The work went on. The work went on. The brass lantern hangs at the mill.',
      outcomes: ['all is well', 'Piers owns the green canoe'],
    };
    const rarity = (text: string): number => (/lantern|canoe/.test(text) ? 0.9 : 0.1);
    const text = fitSummary(told, 40, counter, { rarity }).text;
    assert.match(text, /^They chose a store\. The brass lantern hangs at the mill\./);
    assert.match(text, /Piers owns the green canoe/);
    assert.doesNotMatch(text, /The work went on|all is well/);
    assert.equal(fitSummary(told, Infinity, counter).text.split('The work went on.').length, 2);
  });
});
