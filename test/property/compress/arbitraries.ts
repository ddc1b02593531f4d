import fc from 'fast-check';
import type { SourceMessage } from '../../../src/core/compress/source-message.ts';
import { messageId } from '../../../src/core/model/ids.ts';
import type { ContentBlock, Role } from '../../../src/core/model/message.ts';

const words = fc.constantFrom(
  ...'we decided never deploy on Friday because the test fails Postgres port 8443 src/http/client.ts'.split(' '),
  ...'sendRequest() please use instead error 「はい」 デプロイしない não'.split(' '),
  '“so be it then”',
  '`npm test`',
  ...'https://example.org/a <tool-use> {{words}} ===== \u0000 😀'.split(' '),
);
const sentence = fc.array(words, { minLength: 1, maxLength: 14 }).map((list) => `${list.join(' ')}.`);
const line = fc.oneof(
  { weight: 4, arbitrary: sentence },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '```',
      '```ts',
      '',
      '---',
      '# Heading',
      '  12→ const a = 1;',
      'Error: boom',
      '--- FAIL: TestX',
      '3 passed',
    ),
  },
  { weight: 1, arbitrary: fc.string({ maxLength: 40 }) },
);
const text = fc.array(line, { maxLength: 12 }).map((lines) => lines.join('\n'));
const longText = fc.tuple(line, fc.integer({ min: 1, max: 200 })).map(([one, times]) => `${one}\n`.repeat(times));
const body = fc.oneof({ weight: 6, arbitrary: text }, { weight: 1, arbitrary: longText });

/** A turn: a user message, then replies with tool calls and results, with and without IDs. */
const turn: fc.Arbitrary<{ role: Role; content: ContentBlock[] }[]> = fc
  .tuple(
    body,
    fc.array(fc.tuple(fc.constantFrom('plain', 'loose', 'called', 'parallel'), body, body), { maxLength: 4 }),
    fc.nat(),
  )
  .map(([ask, steps, salt]) => [
    { role: 'user', content: [{ type: 'text', text: ask }] },
    ...steps.flatMap(([kind, said, result], step): { role: Role; content: ContentBlock[] }[] => {
      const id = (part: number): string => `${salt}-${step}-${part}`;
      const call = (part: number): ContentBlock => ({ type: 'tool_call', callId: id(part), name: 'run', json: '{}' });
      const answer = (part: number): ContentBlock => ({
        ...({ type: 'tool_result', callId: id(part), text: result, isError: false } as const),
      });
      const reply: ContentBlock = { type: 'text', text: said };
      const by = (role: Role, ...content: ContentBlock[]) => ({ role, content });
      switch (kind) {
        case 'loose':
          return [by('assistant', reply), by('tool', { type: 'text', text: result })];
        case 'called':
          return [by('assistant', reply, call(0)), by('user', answer(0))];
        case 'parallel':
          return [by('assistant', call(0), call(1)), by('tool', answer(0)), by('tool', answer(1))];
        default:
          return [by('assistant', reply)];
      }
    }),
  ]);

/** Sessions with unique message IDs. */
export const sessions = fc
  .tuple(fc.boolean(), fc.array(turn, { maxLength: 14 }))
  .map(([hasSystem, turns]): SourceMessage[] => {
    const system: { role: Role; content: ContentBlock[] }[] = hasSystem
      ? [{ role: 'system', content: [{ type: 'text', text: 'You are careful.' }] }]
      : [];
    return [...system, ...turns.flat()].map((one, at) => ({ ...one, id: messageId(`m${at}`) }));
  });

export const answers = fc.oneof(
  sentence.map((narrative) => JSON.stringify({ narrative, decisions: ['use Postgres'] })),
  sentence.map((narrative) => `Sure:\n\`\`\`json\n${JSON.stringify({ narrative })}\n\`\`\``),
  fc.constantFrom('', '   ', '{', '{"narrative": 3}', '[]', 'null', 'I’m sorry, but I can’t do that.'),
  fc.constant(JSON.stringify({ narrative: 'They said "something that nobody has ever said here".' })),
  fc.constant(JSON.stringify({ narrative: 'On and on it went. '.repeat(500) })),
  fc.string(),
  fc.json(),
);
