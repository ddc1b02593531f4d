import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { Redactor } from '../../../src/core/redact/redact.ts';
import { exportedMessages, redactMessage } from '../../../src/core/redact/exported-messages.ts';
import { messageId } from '../../../src/core/model/ids.ts';
import { messageText, type Message } from '../../../src/core/model/message.ts';
import { SessionState } from '../../../src/core/state/session-state.ts';
import { sessionFromJsonl, sessionToJsonl } from '../../../src/core/transcript/session-jsonl.ts';
import { sessionMessage } from '../../support/session-messages.ts';

/** Concatenated, so that secret scanners don't report this file. */
const joined = (...parts: readonly string[]): string => parts.join('');
const fill = (length: number, from = 'a1B2c3D4e5F6g7H8'): string =>
  from.repeat(Math.ceil(length / 16)).slice(0, length);

const SECRETS: readonly (readonly [string, string])[] = [
  ['aws-key', joined('AKIA', 'Q3EGRZ7VN5XYT2LM')],
  ['github-token', joined('ghp_', fill(36))],
  ['github-token', joined('github_pat_', fill(22), '_', fill(59))],
  ['gitlab-token', joined('glpat-', fill(20))],
  ['slack-token', joined('xoxb-', '123456789012-', fill(24))],
  ['npm-token', joined('npm_', fill(36))],
  ['openai-key', joined('sk-', fill(48))],
  ['openai-key', joined('sk-proj-', fill(64))],
  ['anthropic-key', joined('sk-ant-api03-', fill(90))],
  ['google-key', joined('AIza', fill(35))],
  ['stripe-key', joined('sk_live_', fill(24))],
  ['service-token', joined('hf_', fill(34))],
  ['jwt', joined('eyJ', fill(20), '.eyJ', fill(40), '.', fill(43))],
  [
    'private-key',
    joined('-----BEGIN RSA PRIVATE', ' KEY-----\n', fill(64), '\n', fill(64), '\n-----END RSA PRIVATE', ' KEY-----'),
  ],
  [
    'private-key',
    joined('-----BEGIN PRIVATE', ' KEY-----\\n', fill(64), '\\n', fill(30), '\\n-----END PRIVATE', ' KEY-----'),
  ],
];

function redacted(text: string): { readonly text: string; readonly total: number } {
  const redactor = new Redactor();
  const safe = redactor.redact(text);
  return { text: safe, total: redactor.total };
}

describe('masking secrets', () => {
  for (const [kind, secret] of SECRETS) {
    it(`masks ${kind} (${secret.slice(0, 14).trim()}…) in any context, and nothing around it`, () => {
      for (const [before, after] of [
        ['', ''],
        ['use ', ' now.'],
        ['`', '`'],
        ['("', '")'],
        ['KEY=', '\nnext'],
      ] as const) {
        const safe = redacted(before + secret + after);
        assert.equal(safe.text, `${before}[redacted: ${kind}]${after}`);
        assert.equal(safe.total, 1);
      }
    });
  }

  it('masks secrets that terminal colors divide or surround, and keeps all other text and colors', () => {
    const [red, bold, reset] = ['\x1b[31m', '\x1b[01;31m\x1b[K', '\x1b[0m'];
    for (const [kind, secret] of SECRETS) {
      const masked = `${bold}a ${red}[redacted: ${kind}]${reset} b${reset}`;
      const [head, middle, tail] = [secret.slice(0, 2), secret.slice(2, 12), secret.slice(12)];
      for (const written of [secret, `${head}${bold}${middle}${reset}${tail}`])
        assert.deepEqual(redacted(`${bold}a ${red}${written}${reset} b${reset}`), { text: masked, total: 1 });
    }
    assert.equal(
      redacted(`password${red}=${reset}hunter22 postgres://app:${red}s3cr3t-pw${reset}@db`).text,
      `password${red}=${reset}[redacted: named-secret] postgres://app:${red}[redacted: basic-auth]${reset}@db`,
    );
  });

  it('masks secrets that only a control sequence or its escaped form separates from a word', () => {
    for (const [, secret] of SECRETS)
      for (const before of ['Logging in\x1b[2K\x1b[1G', 'ci\x1b[20G', 'token\x1b[0m', '{"out":"\\u001b[32m'])
        assert.equal(redacted(`${before}${secret} b`).text.replace(/\[redacted: .*?\]/, '…'), `${before}… b`);
  });

  it('masks secrets within a terminal link', () => {
    const link = (address: string): string => `\x1b]8;;${address}\x07log\x1b]8;;\x07`;
    assert.equal(
      redacted(link('https://app:s3cr3t-pw@host/log')).text,
      link('https://app:[redacted: basic-auth]@host/log'),
    );
  });

  it('masks only the secret part of a URL, header or setting', () => {
    for (const [text, safe] of [
      ['postgres://app:s3cr3t-pw@db.local:5432/x', 'postgres://app:[redacted: basic-auth]@db.local:5432/x'],
      ['redis://:hunter22@cache', 'redis://:[redacted: basic-auth]@cache'],
      [`Authorization: Bearer ${fill(30)}`, 'Authorization: Bearer [redacted: authorization]'],
      [`api_key=${fill(24)}`, 'api_key=[redacted: named-secret]'],
      [`{"apiKey": "${fill(12)}"}`, '{"apiKey": "[redacted: named-secret]"}'],
      [
        `{"cmd":"curl -d '{\\"password\\": \\"${fill(12)}\\"}'"}`,
        `{"cmd":"curl -d '{\\"password\\": \\"[redacted: named-secret]\\"}'"}`,
      ],
      [`SESSION_SECRET=${fill(20)}`, 'SESSION_SECRET=[redacted: named-secret]'],
      [`aws_secret_access_key = ${fill(40)}`, 'aws_secret_access_key = [redacted: aws-key]'],
      [`//registry.example.org/:_authToken=${fill(20)}`, '//registry.example.org/:_authToken=[redacted: npm-token]'],
    ] as const)
      assert.equal(redacted(text).text, safe);
  });

  it('masks all of a password with “&”, and only up to the next parameter or command', () => {
    for (const [text, safe] of [
      ['DB_PASSWORD=abc&def123\nDB_HOST=db', 'DB_PASSWORD=[redacted: named-secret]\nDB_HOST=db'],
      ['password: hunter2&co', 'password: [redacted: named-secret]'],
      ['User=app;Password=s3cr3t&x9;Timeout=5', 'User=app;Password=[redacted: named-secret];Timeout=5'],
      ['/login?a=1&password=hunter2&next=/home', '/login?a=1&password=[redacted: named-secret]&next=/home'],
      ['user=u&password=hunter2&page[size]=2&b=3', 'user=u&password=[redacted: named-secret]&page[size]=2&b=3'],
      ['<a href="?password=hunter2&amp;next=2">', '<a href="?password=[redacted: named-secret]&amp;next=2">'],
      ['password=h2&co77&next=2', 'password=[redacted: named-secret]&next=2'],
      ['PASSWORD=hunter2&&npm start', 'PASSWORD=[redacted: named-secret]&&npm start'],
      ['PASSWORD=hunter2& next', 'PASSWORD=[redacted: named-secret]& next'],
    ] as const)
      assert.equal(redacted(text).text, safe);
    for (const text of ['next_token=&buffer12;', 'password=abc&next=2', 'x.password=a && token=b'])
      assert.deepEqual(redacted(text), { text, total: 0 });
  });

  it('masks long texts of “&” in linear time', () => {
    const masked = 'password=[redacted: named-secret]';
    assert.equal(redacted(`password=${'a1&'.repeat(400_000)}`).text, `${masked}&`);
    assert.equal(redacted('password=hunter2&b'.repeat(100_000)).total, 100_000);
    assert.equal(redacted('password=\x1b[31mhunter2\x1b[0m; '.repeat(50_000)).total, 50_000);
    assert.equal(redacted(`password=hunter2${'&'.repeat(1_000_000)}`).text, `${masked}${'&'.repeat(1_000_000)}`);
  });

  it('masks a session token of a thousand characters, with and without quotes', () => {
    const token = fill(1000);
    for (const quote of ['', "'", '"'])
      assert.equal(
        redacted(`export AWS_SESSION_TOKEN=${quote}${token}${quote}\n`).text,
        `export AWS_SESSION_TOKEN=${quote}[redacted: named-secret]${quote}\n`,
      );
  });

  it('masks a secret at the beginning of a line in JSON', () => {
    const texts = [
      ...SECRETS.map(([, secret]) => secret).filter((secret) => !secret.startsWith('-----')),
      joined('pul-', fill(40, '0a9b3c7d1e5f2846')),
      `Bearer ${fill(30)}`,
      'curl -u admin:s3cr3t99 https://x',
      'mysql -u root -ps3cr3t99 shop',
    ];
    for (const text of texts)
      for (const before of ['\n', '\r\n', '\t']) {
        const json = JSON.stringify({ content: `Line${before}${text}\n` });
        assert.equal(redacted(json).total, 1, json);
      }
  });

  it('keeps the JSON around a quoted command’s password valid', () => {
    for (const command of ['bash -c "curl -u admin:hunter2x"', 'sh -c "mysql -psecret99"', 'mysql -pa\\b\\c99']) {
      const masked = new Redactor().redact(JSON.stringify({ command }));
      assert.match((JSON.parse(masked) as { command: string }).command, /\[redacted: argument\]"?$/);
    }
  });

  it('leaves code, prose and placeholders unchanged', () => {
    for (const text of [
      'const apiKey = process.env.API_KEY ?? config.apiKey2;',
      'password: string; apiKey: "your-api-key-here1"; api_key = getKeyFromVault1();',
      'the sk-learn package and sk-fading-circle-container of the style sheet',
      'https://example.com:8080/a@b and mailto:someone@example.com',
      'postgres://user:${DB_PASSWORD}@host/db',
      'commit 3f786850e387550fdab836ed7e6dc881de23001b in ghp_short and eyJhbGciOi.',
      'max_tokens: 4096, next_token=null, tokens: 123456789012',
      `-----BEGIN PUBLIC KEY-----\n${fill(64)}\n-----END PUBLIC KEY-----`,
      'A line with -----BEGIN PRIVATE KEY----- is how it begins.',
      `data:image/png;base64,${fill(4000)}`,
    ])
      assert.deepEqual(redacted(text), { text, total: 0 });
  });

  it('masks the body of a truncated private key and keeps the text after it', () => {
    const text = joined('-----BEGIN PRIVATE', ' KEY-----\n', fill(64), '\n', fill(64), '\n\nThat was the key.');
    assert.equal(redacted(text).text, '[redacted: private-key]\n\nThat was the key.');
  });

  it('counts masked secrets across several texts', () => {
    const redactor = new Redactor();
    for (const [, secret] of SECRETS) redactor.redact(`one ${secret} two ${secret}`);
    assert.equal(redactor.total, SECRETS.length * 2);
  });

  it('masks every secret in any text, and nothing more on a second pass', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 30 }),
      fc.constantFrom(...SECRETS.map(([, secret]) => secret)),
      fc.constantFrom(
        'api_key="',
        '\x1b[31m',
        'https://u:',
        '@',
        '-----BEGIN PRIVATE KEY-----',
        'Bearer ',
        'password=',
        '\n',
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const once = redacted(pieces.join(' '));
        assert.deepEqual(redacted(once.text), { text: once.text, total: 0 });
        for (const [, secret] of SECRETS) assert.ok(!once.text.includes(secret));
      }),
    );
  });
});

function stateOf(messages: readonly Message[], deleted: readonly string[] = []): SessionState {
  const state = new SessionState();
  for (const message of messages) state.apply({ type: 'message_added', message }, 1);
  for (const id of deleted) state.apply({ type: 'message_deleted', id: messageId(id), deleted: true }, 1);
  return state;
}

describe('exported messages', () => {
  it('include every branch and round-trip to the same session and the same bytes', () => {
    const state = stateOf([
      sessionMessage('a', '1'),
      sessionMessage('b', '2', { parent: 'a' }),
      sessionMessage('c', '3', { parent: 'b' }),
      sessionMessage('d', '4', { parent: 'a' }),
      sessionMessage('e', '5', { parent: 'd' }),
    ]);
    const jsonl = [...sessionToJsonl(exportedMessages(state))].join('');
    const again = stateOf(sessionFromJsonl(jsonl));
    assert.deepEqual(again.path, state.path);
    const byId = ({ messages }: SessionState) => new Map([...messages.values()].map((one) => [one.id, one]));
    assert.deepEqual(byId(again), byId(state));
    assert.equal([...sessionToJsonl(exportedMessages(again))].join(''), jsonl);
  });

  it('omit deleted messages and attach later ones to the message before the gap', () => {
    const state = stateOf(
      [sessionMessage('a', '1'), sessionMessage('b', '2', { parent: 'a' }), sessionMessage('c', '3', { parent: 'b' })],
      ['b'],
    );
    assert.deepEqual(exportedMessages(state), [sessionMessage('a', '1'), sessionMessage('c', '3', { parent: 'a' })]);
    assert.deepEqual(stateOf(exportedMessages(state)).path, state.path);
  });

  it('have secrets masked in text, tool calls, results and attachments, and remain valid JSON', () => {
    const secret = joined('ghp_', fill(36));
    const redactor = new Redactor();
    const message: Message = {
      ...sessionMessage('a', `token ${secret}`),
      content: [
        { type: 'text', text: `token ${secret}` },
        { type: 'tool_call', callId: 'c', name: 'run', json: JSON.stringify({ token: secret }) },
        { type: 'tool_result', callId: 'c', text: `x ${secret}`, isError: false },
        { type: 'image', mediaType: 'image/png', base64: 'AAAA' },
      ],
      attachments: [{ kind: 'file', name: '.env', text: `GH=${secret}`, uri: 'file:///x/.env' }],
    };
    const jsonl = [...sessionToJsonl([redactMessage(message, redactor)])].join('');
    assert.equal(redactor.total, 4);
    assert.ok(!jsonl.includes(secret));
    assert.equal(sessionFromJsonl(jsonl).length, 1);
    assert.deepEqual(redactMessage(sessionMessage('b', 'nothing here'), redactor), sessionMessage('b', 'nothing here'));
  });

  it('mark the same words as pasted after secrets before and within them are masked', () => {
    const secret = joined('ghp_', fill(36));
    const typed = `My token is ${secret}. The log says:\n`;
    const pastedText = `Rejected ${secret} at 09:30.`;
    const message: Message = {
      ...sessionMessage('a', `${typed}${pastedText}\nWhy?`),
      pasted: [{ start: typed.length, end: typed.length + pastedText.length }],
    };
    const redactor = new Redactor();
    const { content, pasted } = redactMessage(message, redactor);
    const text = messageText({ content });
    const passages = pasted?.map(({ start, end }) => text.slice(start, end));
    assert.deepEqual(passages, [new Redactor().redact(pastedText)]);
    assert.equal(redactor.total, 2);
  });
});
