import assert from 'node:assert/strict';
import { detectEvents } from '../../../src/core/events/detect.ts';
import type { DetectedEventWithContext } from '../../../src/core/events/detect.ts';
import type { Role } from '../../../src/core/model/message.ts';

const find = (role: Role, text: string, before?: string): DetectedEventWithContext[] => {
  const events = detectEvents(
    { role, text },
    before === undefined ? {} : { before: { role: 'assistant', text: before } },
  );
  for (const { start, end, quote } of events) assert.equal(text.slice(start, end), quote);
  return events;
};
const quotes = (role: Role, text: string, before?: string): string[] =>
  find(role, text, before).map(({ quote }) => quote);

describe('key event detection', () => {
  it('quotes only the error line of a stack trace', () => {
    const text = [
      'Traceback (most recent call last):',
      '  File "/srv/app/main.py", line 12, in <module>',
      '    run(load())',
      '  File "/srv/app/load.py", line 40, in load',
      '    raise ValueError("empty")',
      'ValueError: the manifest is empty',
    ].join('\n');
    assert.deepEqual(quotes('tool', text), ['ValueError: the manifest is empty']);
    const [event] = find('user', text);
    assert.equal(event?.quote, 'ValueError: the manifest is empty');
    assert.equal(event.kind, 'error');
  });

  it('quotes no arguments of an assistant’s tool calls', () => {
    const command =
      'gh run view 4711 --log-failed | grep -i "WebServer.*\\(error\\|fail\\|crash\\)" | grep -v "Found 0 errors"';
    const call = `Bash ${JSON.stringify({ command, description: 'Search for server errors' })}`;
    assert.deepEqual(quotes('assistant', call), []);
  });

  it('ranks what a user marks as important before anything else', () => {
    for (const text of ['IMPORTANT: Leo is allergic to penicillin.', 'Wichtig: Leo verträgt kein Penicillin.']) {
      const [event] = find('user', text);
      assert.deepEqual([event?.importance, event?.score], [3, 1], text);
    }
    for (const { score } of find('assistant', '**Important**: backups run at 3 am.')) assert.ok(score < 1);
  });

  it('quotes nothing of code that a user pasted without a fence, but the request around it', () => {
    const request = 'The total must never be negative.';
    const basic = [
      '10 REM ORDERS MUST BE PRINTED FIRST',
      '20 KEY OFF',
      '30 IF TOTAL<0 THEN PRINT "You must never enter a negative total."',
      '40 INPUT "Please enter the number of items";N',
      '50 OPEN "ORDERS.DAT" FOR APPEND AS 1:WRITE#1,N:CLOSE 1',
      '60 IF N>99 THEN GOTO 400',
      '70 REM DO NOT REMOVE THIS LINE',
      '80 GOTO 20',
    ];
    const visualBasic = [
      'Option Strict Off',
      'Public Module Orders',
      '    Public ReadOnly Property Folder As String = Path.Combine(Root, "Orders")',
      "    ' Orders must always be saved before printing",
      '    Private Sub Save(sender As Object, e As EventArgs) Handles MyBase.Load',
      '        Dim count As Integer = Items.Count',
      '        If count < 0 Then Throw New Exception("We decided to reject negative totals.")',
      '        File.WriteAllText(Folder, count.ToString())',
      '    End Sub',
      'End Module',
    ];
    for (const code of [basic, visualBasic]) {
      for (const text of [
        [request, '', ...code],
        [...code, '', request],
        [request, ...code],
      ])
        assert.deepEqual(quotes('user', text.join('\n')), [request], text.join('\n'));
    }
    const rules = ['- Never change the folder', '- Do not delete files.', '1. Always use UTF-8 for files'];
    const said = ['Never change the folder', 'Do not delete files.', 'Always use UTF-8 for files'];
    assert.deepEqual(quotes('user', [...visualBasic, ...rules].join('\n')), said);
    assert.deepEqual(quotes('user', [...visualBasic, 'Never change the folder'].join('\n')), said.slice(0, 1));
    // Some forms lose line breaks.
    const line = Array.from({ length: 30 }, (_, at) => `${at}0 IF Q$="${at}" THEN PRINT "You must save.":GOTO 90`);
    assert.deepEqual(quotes('user', `${line.join(' ')}\n${request}`), [request]);
  });

  it('still reads settings and decisions in lines of a name, an equals sign, and a value', () => {
    const settings = [
      'PORT=8080',
      'host = db.internal',
      'retries = 5',
      'timeout = 30 s',
      'region = eu-west-1',
      'q = 7',
    ];
    const answers = [
      'we use Postgres',
      'we drop MySQL',
      'never delete bookings',
      'ship on Friday',
      'no cookies',
      'use UTC',
    ];
    const decisions = answers.map((answer, at) => `Q${at} = ${answer}`);
    for (const lines of [settings, decisions]) {
      const found = quotes('user', ['Use these:', ...lines].join('\n'));
      for (const line of lines.slice(0, 3)) assert.ok(found.includes(line), `${line} in ${found.join('\n')}`);
    }
  });

  it('quotes nothing of JSON that a user pasted without a fence', () => {
    const json = [
      '{',
      '  "title": "We decided to use Postgres for all bookings",',
      '  "text": "You must never delete a booking",',
      '  "score": 0.5,',
      '  "note": "Always log in UTC"',
      '}',
    ];
    const request = 'The score must never be below one.';
    assert.deepEqual(quotes('user', [...json, '', request].join('\n')), [request]);
  });

  it('still reads rules for quoted names as a user’s words', () => {
    const rules = [
      'always keep a copy',
      'never ask again',
      'must ask first',
      'use the last folder',
      'never wait',
      'UTC',
    ];
    const lines = rules.map((rule, at) => `"Button ${at}": ${rule}`);
    const found = quotes('user', ['Rules:', ...lines].join('\n'));
    for (const line of lines.slice(0, 3)) assert.ok(found.includes(line), `${line} in ${found.join('\n')}`);
  });

  it('still reads short rules between a few statements as a user’s words', () => {
    const rules = ['Never round totals', 'Never delete bookings'];
    const few = ['total = sum(items);', rules[0], 'send(total);'];
    const many = [...few, 'No cookies', 'UTC only', rules[1], 'store(total);'];
    for (const lines of [few, many]) {
      const found = quotes('user', lines.join('\n'));
      for (const rule of rules.filter((one) => lines.includes(one))) assert.ok(found.includes(rule), found.join('\n'));
    }
  });

  it('still reads short lines of a brief as a user’s words', () => {
    const brief = [
      'Rules for the export:',
      '- Use UTF-8 (no BOM)',
      '- Always write the header line',
      '- Column `total` = net + tax',
      '- Never round `tax`',
      '- Dates as YYYY-MM-DD;',
      '- File name: export.csv',
      '- Separator = ";"',
    ].join('\n');
    const found = quotes('user', brief);
    for (const rule of ['Always write the header line', 'Never round `tax`']) assert.ok(found.includes(rule), rule);
  });

  it('finds a crash without any other word for an error', () => {
    assert.deepEqual(quotes('tool', '$ ./server\nlistening\nSegmentation fault\n'), ['Segmentation fault']);
    assert.deepEqual(quotes('tool', 'POST /api\nSOAPFault: bad envelope\n'), ['SOAPFault: bad envelope']);
  });

  it('keeps the location of a compiler error', () => {
    const text =
      "Building…\nsrc/store.ts:41:7 - error TS2322: Type 'string' is not assignable to type 'number'.\n\n41   count = name;\n     ~~~~~\n";
    assert.deepEqual(quotes('tool', text), [
      "src/store.ts:41:7 - error TS2322: Type 'string' is not assignable to type 'number'.",
    ]);
  });

  it('quotes what is said about line breaks, placeholders, and what follows a pasted block', () => {
    for (const rule of [
      'Always end a record with "\\n" and a file with "\\n\\n".',
      '<userId> must never be written to the log.',
    ])
      assert.deepEqual(quotes('user', rule), [rule]);
    const pasted = '```\nError: pool exhausted\n```\nAlways keep the limit of the pool at 40.';
    assert.deepEqual(quotes('user', pasted).at(-1), 'Always keep the limit of the pool at 40.');
    const nested = '````\nA template:\n```ts\nrun();\n```\n````\nAlways keep the limit of the pool at 40.';
    assert.deepEqual(quotes('user', nested).at(-1), 'Always keep the limit of the pool at 40.');
  });

  it('quotes repeats of one lint error once', () => {
    const text = "a.py:1:1: F821 undefined name 'os'\na.py:2:1: F821 undefined name 'sys'\n";
    assert.deepEqual(quotes('tool', text), ["a.py:1:1: F821 undefined name 'os'"]);
  });

  it('detects failures that are counted beside what did not fail', () => {
    for (const line of ['✖ 12 problems (12 errors, 0 warnings)', 'ERROR: 3 failed, 0 errors in 2.1s'])
      assert.deepEqual(quotes('tool', `$ npm run lint\n${line}\n`), [line]);
  });

  it('reads colored output like plain output, and quotes it verbatim', () => {
    const log =
      '\x1b[32m2026-03-05 20:04:21\x1b[0m | \x1b[1mINFO    \x1b[0m | \x1b[1mThe ledger uses port 8123.\x1b[0m';
    assert.deepEqual(quotes('assistant', log), quotes('assistant', log.replace(/\x1b\[\d+m/g, '')));
    assert.deepEqual(quotes('tool', '\x1b[31m\x1b[1mValueError: the \x1b[33mmanifest\x1b[31m is empty\x1b[0m\n'), [
      'ValueError: the \x1b[33mmanifest\x1b[31m is empty',
    ]);
  });

  it('ignores transient errors', () => {
    for (const text of [
      "a.py:1:1: F401 'os' imported but unused",
      'Unexpected error: APIConnectionError: Overloaded',
      'SearchReplaceNoExactMatch: This SEARCH block failed to exactly match lines in a.py',
    ])
      assert.deepEqual(quotes('tool', text), [], text);
  });

  it('detects the keywords that customers’ own systems look for, and ignores courtesies', () => {
    for (const text of ['Hello, how are you?', 'Thanks for the help', 'That is all, thank you so much.'])
      assert.deepEqual(quotes('user', text), [], text);
    const kindOf = (text: string): string | undefined => find('user', text)[0]?.kind;
    assert.equal(kindOf('IMPORTANT: user preference'), 'preference');
    assert.equal(kindOf('ERROR: failed to connect'), 'error');
    assert.equal(kindOf('Decided to use API key auth'), 'decision');
    for (const [text, before] of [
      ['Confirmed.', 'Deploy build 412 to staging on Friday?'],
      ['Urgent!', 'The invoice to Brandt is due today.'],
    ] as const)
      assert.deepEqual(
        find('user', text, before).map(({ quote, about }) => [quote, about?.quote]),
        [[text, before]],
      );
  });

  it('detects what an assistant announces as decided or important, in several languages', () => {
    for (const [text, kind] of [
      ['Decided to use port 7443.', 'decision'],
      ['We’ve decided against Kafka.', 'decision'],
      ['**Decision:** use Redis for the queue.', 'decision'],
      ['IMPORTANT: user preference', 'preference'],
      ['**Important**: backups run at 3 am.', 'fact'],
      ['Wichtig: Der Port ist 7443.', 'configuration'],
      ['Se decidió usar el puerto 7443.', 'fact'],
      ['重要：端口是 7443。', 'fact'],
    ] as const)
      assert.deepEqual(
        find('assistant', text).map((event) => [event.quote, event.kind]),
        [[text, kind]],
      );
    for (const text of [
      'I decided to read the file first.',
      'It is important to note that this works well.',
      'Important:',
      '会议上还没有决定！',
      '我不认为这个问题很重要！',
      'この設定は重要！',
    ])
      assert.deepEqual(find('assistant', text), [], text);
  });

  it('detects names and bookings in scripts without a lexicon, but no thanks', () => {
    for (const [before, text] of [
      ['ما اسمك الكامل من فضلك؟', 'اسمي خالد المنصوري'],
      ['حسنا.', 'زوجتي فاطمة الزهراني سترافقني وهي تحتاج إلى فحص أيضا'],
      ['בסדר.', 'אשתי מיכל אברמוב תבוא איתי והיא צריכה בדיקה גם'],
      ['ठीक है।', 'मेरी पत्नी अनीता देसाई मेरे साथ आएगी और उसे भी जाँच चाहिए'],
      ['ما اسمك الكامل من فضلك؟', 'اسمي خالد شكرا'],
      ['בסדר.', 'תשתמש רק ב-PostgreSQL תודה'],
    ] as const)
      assert.deepEqual(quotes('user', text, before), [text]);
    for (const text of [
      'شكرا جزيلا لك على المساعدة',
      'שלום, מה שלומך היום?',
      'תודה רבה על העזרה',
      'आपकी मदद के लिए धन्यवाद',
      'حسنا شكرا لك',
      'बहुत बहुत धन्यवाद आपका',
    ])
      assert.deepEqual(find('user', text, 'هل تريد شيئا آخر؟'), [], text);
  });

  it('does not treat thanks as the answer to a question', () => {
    for (const [before, text] of [
      ['How can I help?', 'Thanks for the help'],
      ['Anything else?', 'Thank you so much for your time!'],
      ['¿Algo más?', 'Muchas gracias por la ayuda'],
      ['Queda apuntado.', 'Muchas gracias por todo, hasta luego'],
      ['Kann ich sonst noch helfen?', 'Danke für die Hilfe'],
      ['他に何かありますか？', 'ありがとうございます'],
    ] as const)
      assert.deepEqual(find('user', text, before), [], text);
    for (const text of ['Yes, thanks for the help', 'Thanks for the help, but book it for 19:00'])
      assert.equal(find('user', text, 'Shall I book it for 18:00?').length, 1, text);
  });

  it('detects a labelled error from any role, even after a question', () => {
    for (const role of ['user', 'assistant', 'tool'] as const)
      assert.equal(find(role, 'ERROR: failed to connect', 'What does it say?')[0]?.kind, 'error', role);
  });

  it('ignores headings, lead-ins and text written by a client', () => {
    const continued = [
      'This session is being continued from a previous conversation that ran out of context.',
      'Summary:',
      '1. Primary Request and Intent:',
      '   The login page redirects to /home after success, never to /.',
      '2. Key Technical Concepts:',
      '3. Pending Tasks:',
      '   - Write tests for logout',
      'Please continue the conversation from where we left it off without asking the user any further questions.',
    ].join('\n');
    const found = quotes('user', continued);
    assert.ok(found.length > 0);
    for (const quote of found) assert.match(quote, /login page|never to|logout/);
    for (const [role, text] of [
      ['user', 'Caveat: The messages below were generated by the user while running local commands. DO NOT respond.'],
      ['assistant', '[Request interrupted by user for tool use]'],
      ['assistant', 'But it is the ki\\n  3097→ Actually, the user must never ask that.'],
      ['assistant', '## Decisions: use SQLite only\n\nNow let me look at the schema.'],
      [
        'tool',
        '<tool-use data-tool-name="Read">\n      IsError: block.IsError,\n      slog.Error("=== PANIC", "panic", r)',
      ],
    ] as const)
      assert.deepEqual(quotes(role, text), [], text);
  });

  it('does not classify standing instructions as to-dos or errors', () => {
    for (const text of [
      'Always include error status codes',
      'Never swallow an exception.',
      'I want you to fix failing tests first',
      'Siempre incluye los códigos de error',
      'Immer zuerst den Fehler erklären.',
    ])
      for (const { kind } of find('user', text))
        assert.ok(['preference', 'constraint', 'decision'].includes(kind), text);
    const [bootstrap] = find(
      'user',
      "I'm making a landing page using Bootstrap 5.3.0 and I prefer it over Foundation, can you help me with the bar?",
    );
    assert.match(bootstrap?.quote ?? '', /Foundation$/);
    assert.ok(bootstrap !== undefined && ['preference', 'decision'].includes(bootstrap.kind));
  });

  it('detects no errors, dice rolls or stage directions in role-play', () => {
    for (const text of [
      'A hooded figure walks out by the back door. The lock is broken.',
      'Survival: 8 on d20',
      '*The captain smiles and pours the wine.*',
      'MATT: Natural 20.',
    ])
      for (const role of ['user', 'assistant'] as const)
        for (const { kind, quote } of detectEvents({ role, text }, { preset: 'role-play' })) {
          assert.ok(!['error', 'configuration'].includes(kind), text);
          assert.doesNotMatch(quote, /d20|Natural|captain/);
        }
  });

  const SOURCE = 'export class NotFoundError extends Error {}\nif (failed) throw new NotFoundError("no such file");';
  const NO_LEAKS = 'ERROR SUMMARY: 0 errors from 0 contexts (suppressed: 0 from 0)';
  const DIFF = '@@ -1,3 +1,3 @@\n-const port = 80;\n+const port = 8080;';
  for (const [what, role, text] of [
    ['routine output', 'tool', '$ npm test\n\n  42 passing (1s)\n  0 errors\n'],
    [
      'results of checks that found no error',
      'tool',
      `$ npm run lint\n✖ 3 problems (0 errors, 3 warnings)\n${NO_LEAKS}\n`,
    ],
    ['a list of files', 'tool', 'total 8\n-rw-r--r-- 1 me me 120 error.log\n'],
    ['an assistant’s source code that names errors', 'assistant', `\`\`\`ts\n${SOURCE}\n// TODO: always retry\n\`\`\``],
    ['a user’s source code that names errors', 'user', `\`\`\`ts\n${SOURCE}\n// TODO: always retry\n\`\`\``],
    ['a code diff', 'assistant', `\`\`\`diff\n${DIFF}\n\`\`\``],
    ['quotes of earlier messages', 'user', '> Never use tabs here.\n'],
    ['a question', 'user', 'Should we use Postgres or MySQL?'],
    ['a hypothesis', 'user', 'What if we dropped the cache?'],
    ['a question in Spanish', 'user', '¿Usamos Postgres o MySQL?'],
  ] as const)
    it(`detects nothing in ${what}`, () => assert.deepEqual(quotes(role, text), []));

  it('does not treat a negated error as an error', () => {
    for (const text of ['No errors this time.', 'Es gibt keine Fehler.', 'エラーはありません。']) {
      const errors = find('assistant', text).filter(({ kind }) => kind === 'error');
      assert.deepEqual(errors, [], text);
    }
  });

  it("ignores an assistant's proposal and detects the user's assent as a decision about it", () => {
    const proposal =
      'We have two ways:\n\nA) keep the queue in Redis\nB) move the queue to Postgres\n\nWhich do you want?';
    assert.deepEqual(quotes('assistant', proposal), []);
    const [event] = find('user', "yes, let's do B", proposal);
    assert.equal(event?.kind, 'decision');
    assert.equal(event.about?.quote, 'B) move the queue to Postgres');
    assert.equal(proposal.slice(event.about.start, event.about.end), event.about.quote);
  });

  it('links a bare yes to the preceding question', () => {
    const [event] = find('user', 'yes, go ahead', 'I looked at it. Shall I delete the old tables?');
    assert.equal(event?.kind, 'decision');
    assert.equal(event.about?.quote, 'Shall I delete the old tables?');
  });

  it('links a chosen option to its text in Chinese, Japanese and Spanish', () => {
    const cases = [
      ['选方案二', '方案一：保留 Redis\n方案二：换成 Postgres\n你选哪个？', '方案二：换成 Postgres'],
      ['案Bでお願いします', '案A：Redisのまま\n案B：Postgresに移行\nどちらにしますか？', '案B：Postgresに移行'],
      ['la opción 2, por favor', '1. Mantener Redis\n2. Pasar a Postgres\n¿Cuál prefieres?', '2. Pasar a Postgres'],
    ] as const;
    for (const [answer, before, about] of cases) {
      const [event] = find('user', answer, before);
      assert.equal(event?.kind, 'decision', answer);
      assert.equal(event.about?.quote, about);
    }
  });

  it('does not mistake an article for the label of an option', () => {
    const before = 'Which one do you prefer?\nA) Redis\nB) Postgres';
    for (const [text, option] of [
      ['Let’s go with a managed queue instead.', false],
      ['Let’s go with a for now.', true],
      ['Let’s go with A because it is simpler.', true],
    ] as const)
      assert.equal(find('user', text, before)[0]?.about?.quote === 'A) Redis', option, text);
  });

  it('detects nothing in a system message, which is always sent in full', () =>
    assert.deepEqual(quotes('system', 'Always answer in French. Never use tabs.'), []));

  it('classifies a command that changes a setting as configuration and ignores other commands', () => {
    const events = find('user', '/model local/small\n/add src/main.ts\n/clear').map(({ kind, quote }) => [kind, quote]);
    assert.deepEqual(events, [['configuration', '/model local/small']]);
  });

  it('quotes a request once when a client repeats it below its command', () => {
    assert.deepEqual(quotes('user', "/ask don't change the schema\n\ndon't change the schema"), [
      "don't change the schema",
    ]);
  });

  it('detects several events in one message that mixes languages', () => {
    const text = 'Always answer in English. Pero no toques la carpeta legacy. 本番環境には触らないでください。';
    assert.deepEqual(
      find('user', text).map(({ quote }) => quote),
      ['Always answer in English.', 'Pero no toques la carpeta legacy. 本番環境には触らないでください。'],
    );
  });

  it('ignores letter case', () => {
    const text = 'never write secrets to the log';
    assert.deepEqual(quotes('user', text), [text]);
    assert.deepEqual(quotes('user', text.toUpperCase()), [text.toUpperCase()]);
  });

  it('gives a human-readable reason for an event', () => {
    const [event] = find('user', 'Never write secrets to the log.');
    assert.equal(event?.reason, 'constraint: “never”');
    assert.ok(event.score > 0 && event.score <= 1);
  });

  it('marks a report of a failed attempt', () => {
    const [event] = find('user', 'I tried your fix, still the same error.');
    assert.equal(event?.kind, 'error');
    assert.match(event.reason, /^tried, failed/);
  });

  it('counts offsets after emoji in UTF-16 units', () => {
    const text = '🎉🎉 great! The server listens on port 9000.';
    const event = find('user', text).find(({ quote }) => quote.includes('9000'));
    assert.equal(event?.quote, 'The server listens on port 9000.');
  });

  it('cuts no quote within an emoji', () => {
    for (const filler of ['', 'x']) {
      const long = filler + '🎉'.repeat(300);
      const [event] = find('tool', `Error: ${long}`);
      const [answer] = find('user', 'Yes, do it.', `Shall I ${long} do it?`);
      for (const quote of [event?.quote, answer?.about?.quote])
        assert.ok(quote !== undefined && quote.length >= 299 && quote.isWellFormed(), quote);
    }
  });

  it('handles Windows line endings', () => {
    assert.deepEqual(quotes('user', 'Never use tabs.\r\nLine ends are always LF.\r\n'), [
      'Never use tabs.',
      'Line ends are always LF.',
    ]);
  });

  it('ignores a one-word greeting or sigh, but accepts one word as the answer to a question', () => {
    for (const said of ['Morning.', 'ugh.', 'Back.', 'Guten Morgen.']) assert.deepEqual(quotes('user', said), [], said);
    assert.deepEqual(quotes('user', 'SQLite.', 'Do we take PostgreSQL or SQLite?'), ['SQLite.']);
  });

  it('recognizes speakers whose names have words in lower case', () => {
    const names = ['Juan Cruz', 'Juan de la Cruz', 'Ludwig van Beek', 'Jan van der Meer', 'Maria dos Santos Silva'];
    for (const name of names)
      for (const said of ['We could sell it for 25 euros.', 'I want the remote to be yellow.'])
        assert.deepEqual(quotes('user', `${name}: ${said}`, 'Ana Ruiz: So what do we have next.'), [], name);
  });

  it('notes who says a quote if its line starts with a name', () => {
    const speakers = (text: string): unknown[] => find('user', text).map(({ speaker }) => speaker);
    const said = 'Nice to see you all again. Never book a hotel above 90 euros.';
    assert.deepEqual(speakers(`Hello.\nKarim : ${said}`), ['Karim :']);
    assert.deepEqual(speakers(`Karim: hello.\n${said}`), [undefined]);
    assert.deepEqual(speakers(`Update: ${said}`), [undefined]);
    assert.equal(find('assistant', `Decision: it’s PostgreSQL. ${said}`)[0]?.speaker, undefined);
  });

  it('does not take words before a colon for the name of a speaker', () => {
    for (const [asked, said] of [
      ['Revisa el README', 'usa siempre español.'],
      ['Arregla el Login', 'nunca guardes la contraseña en texto plano.'],
      ['Backend e Frontend', 'usa sempre TypeScript.'],
      ['Corrige le Dockerfile', 'utilise toujours Node 24.'],
      ['Wechsle zu Postgres', 'speichere nie Passwörter im Klartext.'],
    ] as const) {
      const found = find('user', `${asked}: ${said}`, 'Done: a table at 20:00.');
      const isFound = found.some(({ quote, importance }) => quote.endsWith(said) && importance === 3);
      assert.ok(isFound, asked);
    }
    const [event] = find('user', 'Ruth just called: they fly home on the 20th.', 'Done: a table at 20:00.');
    assert.equal(event?.kind, 'constraint');
  });

  it('keeps what a user corrects or changes permanently', () => {
    for (const [text, before] of [
      ['Sorry, the party changed to the 4th of May.', 'Noted, 3 May.'],
      ['Na verdade, agora somos cinco pessoas.', 'Mesa para quatro reservada.'],
      ['Finalement nous serons six.', 'Une table pour quatre.'],
    ] as const) {
      const importances = find('user', text, before).map(({ importance }) => importance);
      assert.deepEqual(importances, [3], text);
    }
  });
});
