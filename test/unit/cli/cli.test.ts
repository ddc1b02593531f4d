import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import path from 'node:path';
import { encodeLine } from '../../../src/storage/journal-line.ts';
import { sessionId } from '../../../src/core/model/ids.ts';
import { CLI, runCli, runJson, spawnCli, TRANSCRIPTS } from './run-cli.ts';
import { folderForAllTests } from '../../support/per-test.ts';
import { LoopbackServer, serving } from '../../support/loopback-server.ts';
import { DEMO_SESSION, jsonLines } from '../../support/test-data.ts';

const COMMANDS = 'import count events compress levels recall audit sources search handoff mcp verify'.split(' ');

interface ImportedMessage {
  readonly role: string;
  readonly content: string;
}

const demo = jsonLines<ImportedMessage>(DEMO_SESSION);

const OUT_OF_QUOTA = { error: { message: 'No credit.', type: 'insufficient_quota', code: 'insufficient_quota' } };

/** A program that removes functions that Node.js 20.0 lacks. */
const AS_NODE_20 = `
  const newer = [
    [URL, 'parse'],
    [Promise, 'try', 'withResolvers'],
    [Array, 'fromAsync'],
    [Object, 'groupBy'],
    [Map, 'groupBy'],
    [RegExp, 'escape'],
    [Error, 'isError'],
    [Set.prototype, 'union', 'intersection', 'difference', 'symmetricDifference', 'isSubsetOf', 'isSupersetOf', 'isDisjointFrom'],
    [Iterator.prototype, 'map', 'filter', 'take', 'drop', 'flatMap', 'reduce', 'toArray', 'forEach', 'some', 'every', 'find'],
  ];
  for (const [owner, ...names] of newer) for (const name of names) delete owner[name];
`;

/** Runs `work` with the address of a server that answers every request with this status and JSON. */
const answering = <T>(status: number, body: object, work: (base: string) => Promise<T>): Promise<T> =>
  serving((request, response) => {
    request.resume();
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }, work);

describe('command line', () => {
  let folder = '';
  const file = (name: string, text: string): string => {
    const full = path.join(folder, name);
    writeFileSync(full, text);
    return full;
  };

  folderForAllTests((made) => (folder = made));

  for (const command of COMMANDS)
    it(`explains ${command} with --help`, async () => {
      const { code, out, err } = await runCli([command, '--help']);
      assert.deepEqual([code, err], [0, '']);
      assert.match(out, new RegExp(`^Usage: threadkeeper ${command} `));
    });

  it('returns the same result and exit code if nothing reads standard error', async () => {
    const transcript = file(
      'skipped.jsonl',
      '{"role":"user","content":"Hello"}\n{"role":"narrator","content":"Then"}\n',
    );
    const { code, out } = await spawnCli(['import', transcript], { ignoresErr: true });
    assert.deepEqual([code, out], [0, '{"role":"user","content":"Hello"}\n']);
    assert.equal((await spawnCli(['import', 'no-such-file'], { ignoresErr: true })).code, 2);
  });

  it('says that the output can’t be written', function () {
    if (!existsSync('/dev/full')) this.skip();
    const full = openSync('/dev/full', 'w');
    const { status, stderr } = spawnSync(process.execPath, [CLI, '--help'], { stdio: ['ignore', full, 'pipe'] });
    closeSync(full);
    assert.equal(status, 2);
    assert.match(String(stderr), /^threadkeeper: Couldn’t write the output: ENOSPC/);
  });

  it('lists every command with --help', async () => {
    const { code, out } = await runCli(['--help']);
    assert.equal(code, 0);
    for (const command of COMMANDS) assert.match(out, new RegExp(`^ {2}${command} `, 'm'));
  });

  for (const [command, message] of [
    ['shrink x', /Unknown command “shrink”/],
    ['count', /count requires a file/],
    ['count a b', /takes one file/],
    ['count DEMO --fast', /Unknown option '--fast'/],
    ['events no-such-file', /Can’t read no-such-file: the file doesn’t exist/],
    ['verify no-such-file', /Can’t read no-such-file: the file doesn’t exist/],
    ['compress DEMO --target-tokens 3', /transcript doesn’t fit in 3 tokens\. Increase --target-tokens/],
    ['compress DEMO --target-tokens 9', /transcript doesn’t fit in 9 tokens\. Increase --target-tokens/],
    ['compress DEMO --target-tokens 9 --turn-by-turn', /in 9 tokens: it needs \d+\. Increase --target-tokens/],
    ['levels DEMO --provider openai --base-url localhost', /must be an http or https URL, not “localhost”/],
    ['levels DEMO --base-url http://localhost/v1', /--base-url needs --provider openai or anthropic\./],
    ['import src', /Can’t read src: it’s a folder/],
    ['count package.json', /supported chat format/],
    ['compress DEMO --policy x', /--policy must be one of/],
    ['compress DEMO --target-tokens 8k', /must be an integer/],
    ['compress DEMO --target-tokens -5', /--target-tokens must be an integer of at least 1, not “-5”\./],
    ['recall DEMO --query port --limit -1', /--limit must be an integer of at least 1, not “-1”\./],
    ['compress DEMO --target-tokens 9 --strategy x', /--strategy must be one/],
    ['levels DEMO --provider anthropic', /Set ANTHROPIC_API_KEY/],
    ['recall DEMO', /Missing option --query/],
    ['audit DEMO', /Missing option --summary/],
    ['audit - --summary -', /can’t both be standard input/],
    ['handoff DEMO', /Missing option --for\./],
    ['handoff DEMO --for emacs', /--for must be one of claude, codex, copilot, text/],
    ['handoff DEMO --for text --max-tokens 0', /--max-tokens must be an integer/],
    ['handoff DEMO --for text --max-tokens 20', /Increase --max-tokens/],
    ['search', /Missing option --query/],
    ['sources file.jsonl', /sources doesn’t take a file/],
    ['mcp', /mcp has no option --json/],
    ['mcp --port 1', /Unknown option '--port'/],
  ] as const) {
    it(`reports an error in one line, with exit code 2: ${command}`, async () => {
      const args = command.split(' ').map((arg) => (arg === 'DEMO' ? DEMO_SESSION : arg));
      const { code, out, err } = await runCli([...args, '--json']);
      assert.deepEqual([code, out], [2, '']);
      assert.match(err, message);
      assert.equal(err.trimEnd().split('\n').length, 1);
      assert.match(err, /^threadkeeper: /);
    });
  }

  it('imports a transcript as JSONL that it can read again', async () => {
    const first = await runCli(['import', path.join(TRANSCRIPTS, 'claude-code.jsonl')]);
    assert.equal(first.code, 0);
    assert.match(first.err, /^Skipped: .*1 × subagent message/);
    const again = await spawnCli(['import', '-'], { input: first.out });
    assert.equal(again.out, first.out);
    assert.equal(
      first.out.split('\n')[0]?.slice(0, 60),
      '{"role":"user","content":"Why does the test for back-to-back',
    );
  });

  it('says that the conversations of a file are read as one', async () => {
    const said = (text: string): object => ({
      author: { role: 'user' },
      content: { content_type: 'text', parts: [text] },
    });
    const conversations = ['First.', 'Second.'].map((text, at) => ({
      ...{ create_time: at + 1, mapping: { a: { children: [], message: said(text) } } },
    }));
    const all = file('conversations.json', JSON.stringify(conversations));
    const note = 'The file has 2 conversations, which are read as one, oldest first.\n';
    const { out, err } = await runCli(['import', all]);
    assert.deepEqual([out.match(/First|Second/g), err], [['First', 'Second'], note]);
    assert.equal((await runCli(['count', all])).err, note);
    assert.equal((await runCli(['count', file('one.json', JSON.stringify(conversations.slice(1)))])).err, '');
  });

  it('reports how many images an import skips', async () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
    const line = JSON.stringify({ role: 'user', content: [{ type: 'text', text: 'Look.' }, image, image] });
    const { out, err } = await spawnCli(['import', '-'], { input: line });
    assert.deepEqual([out, err], ['{"role":"user","content":"Look."}\n', 'Skipped: 2 × embedded image.\n']);
    const { skipped } = await runJson('import', file('image.jsonl', line));
    assert.deepEqual(skipped, [{ reason: 'embedded image', count: 2 }]);
  });

  it('imports as one object with --json, with counts of skipped items', async () => {
    const { format, messages, skipped } = await runJson('import', path.join(TRANSCRIPTS, 'openai.jsonl'));
    assert.equal(format, 'messages');
    assert.equal((messages as unknown[]).length, 6);
    assert.deepEqual(skipped, [
      { reason: 'invalid JSON line', count: 1 },
      { reason: 'message with role “narrator”', count: 1 },
      { reason: 'embedded image', count: 1 },
    ]);
  });

  it('lists damaged lines and unreadable messages on standard error, but not what a tool added', async () => {
    const said = (role: string, content: string): string => JSON.stringify({ role, content });
    const lines = [
      said('user', 'Use port 9000.'),
      '{"role":"user","content":"And ne',
      said('narrator', 'A door opens.'),
      '{"role":"user","content":42}',
      '{"role":"user","content":["Or 9001.",42]}',
    ];
    const damaged = file('damaged.jsonl', lines.join('\n'));
    const note =
      'Skipped: 1 × invalid JSON line, 1 × message with role “narrator”, 1 × message without readable content, 1 × invalid content part.\n';
    for (const args of [['count'], ['events'], ['compress'], ['levels'], ['recall', '--query', 'port']]) {
      const { code, err } = await runCli([...args, damaged, '--json']);
      assert.deepEqual([code, err], [0, note], args[0]);
    }
    assert.equal((await runCli(['count', path.join(TRANSCRIPTS, 'claude-code.jsonl')])).err, '');
  });

  it('writes megabytes through a pipe without losing a byte', async () => {
    const long = Array.from({ length: 3000 }, (_, at) =>
      JSON.stringify({ role: 'user', content: `${at} ${'ä'.repeat(900)}` }),
    );
    const { code, out } = await spawnCli(['import', file('long.jsonl', `${long.join('\n')}\n`), '--json']);
    assert.equal(code, 0);
    assert.equal((JSON.parse(out) as { messages: unknown[] }).messages.length, 3000);
  });

  it('counts messages and tokens, including framing', async () => {
    const two = file('two.jsonl', '{"role":"user","content":"hello world"}\n{"role":"assistant","content":""}\n');
    assert.deepEqual(await runJson('count', two), { messages: 2, tokens: 10, encoding: 'o200k_base' });
    const old = await runJson('count', two, '--model', 'gpt-4');
    assert.equal(old['encoding'], 'cl100k_base');
  });

  it('lists key events that quote their messages verbatim', async () => {
    const { events } = (await runJson('events', DEMO_SESSION)) as {
      events: { quote: string; message: number; start: number; end: number; status: string; pinned: boolean }[];
    };
    assert.ok(events.length > 100, `${events.length} events`);
    for (const { quote, message, start, end } of events) assert.equal(demo[message]?.content.slice(start, end), quote);
    assert.ok(events.some(({ status }) => status === 'superseded'));
    assert.ok(events.every(({ status }) => status !== 'dropped'));
    const port = events.find(({ quote }) => quote.includes("That's the final port"));
    assert.equal(demo[port?.message ?? -1]?.content.startsWith('4600.'), true);
  });

  it('gives summaries enough text, however many key events a session has', async () => {
    const { messages, nodes } = (await runJson('compress', DEMO_SESSION)) as {
      messages: ImportedMessage[];
      nodes: { tokens: number; detailed: string }[];
    };
    const covered = nodes.reduce((sum, { tokens }) => sum + tokens, 0);
    const told = nodes.reduce((sum, { detailed }) => sum + detailed.length, 0);
    assert.ok(covered > 40_000 && told > 0.03 * 4 * covered, `${told} characters for ${covered} tokens`);
    for (const { detailed } of nodes) assert.ok(messages.some(({ content }) => content.includes(detailed)));
  });

  // Turn by turn, the last compression leaves room for the next messages.
  for (const [how, verbatim, min, args] of [
    ['at once', 4, 6400, ['--keep-recent', '4']],
    ['turn by turn', 1, 0, ['--turn-by-turn']],
  ] as const)
    it(`compresses a long session ${how} within the target, and reports the result`, async () => {
      const result = (await runJson('compress', DEMO_SESSION, '--target-tokens', '8000', ...args)) as {
        messages: ImportedMessage[];
        events: { quote: string; status: string; message: number; start: number; end: number }[];
        nodes: { from: number; to: number; brief: string; rung: string }[];
        tokens: { before: number; after: number; target: number };
        calls: { count: number; costUsd: number };
      };
      const { messages, events, nodes, tokens } = result;
      assert.ok(tokens.before > 60_000 && tokens.target === 8000);
      assert.ok(tokens.after <= 8000 && tokens.after >= min, `${tokens.after}`);
      const newest = demo.slice(-verbatim).map(({ role, content }) => ({ role, content }));
      assert.deepEqual(messages.slice(how === 'at once' ? 1 : -verbatim), newest);
      const counted = await runJson('count', file('sent.json', JSON.stringify(messages)));
      assert.equal(counted['tokens'], tokens.after);
      const sent = messages.map(({ content }) => content).join('\n');
      for (const { quote, status, message, start, end } of events) {
        assert.equal(demo[message]?.content.slice(start, end), quote);
        if (status === 'active') assert.ok(sent.includes(quote), quote);
      }
      assert.equal(nodes[0]?.from, 0);
      assert.ok(nodes.every(({ from }, at) => at === 0 || from > nodes[at - 1]!.to));
      assert.ok(nodes.every(({ rung, brief }) => rung === 'extractive' && brief !== ''));
      assert.deepEqual(result.calls, { count: 0, inputTokens: 0, outputTokens: 0, costUsd: 0 });
    });

  it('sends a short transcript unchanged', async () => {
    const short = file('short.jsonl', '{"role":"user","content":"hi"}\n{"role":"assistant","content":"hello"}\n');
    const { messages } = await runJson('compress', short, '--target-tokens', '500');
    assert.deepEqual(messages, [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: 'hello' },
    ]);
    const unfinished = file('unfinished.jsonl', '{"role":"user","content":"Well…"}\n');
    const { tokens } = await runJson('compress', unfinished, '--target-tokens', '9');
    assert.deepEqual(tokens, { before: 6, after: 6, target: 9 });
  });

  it('summarizes at three levels, each within its share of the source', async () => {
    const { brief, detailed, tokens } = (await runJson('levels', DEMO_SESSION)) as {
      brief: string;
      detailed: string;
      tokens: Record<'source' | 'brief' | 'detailed' | 'full', number>;
    };
    assert.ok(tokens.brief <= 0.1 * tokens.source && tokens.detailed <= 0.3 * tokens.source);
    assert.ok(tokens.full <= 0.7 * tokens.source);
    assert.ok(brief.length < detailed.length);
  });

  it('recalls matching passages, with their positions', async () => {
    const query = 'double booking in-memory lock map';
    const { hits } = (await runJson('recall', DEMO_SESSION, '--query', query, '--limit', '5')) as {
      hits: { message: number; start: number; end: number; text: string; score: number }[];
    };
    assert.ok(hits.length > 0 && hits.length <= 5);
    for (const { message, start, end, text } of hits) assert.equal(demo[message]?.content.slice(start, end), text);
    assert.ok(hits.some(({ text }) => text.includes('lock map')));
    assert.ok(hits.every(({ score }, at) => at === 0 || score <= hits[at - 1]!.score));
  });

  it('recalls passages without terminal codes, which would change the terminal', async () => {
    const text = '\x1b]0;owned\x07The port is \x1b[31m8443\x1b[0m.';
    const args = ['recall', file('codes.json', JSON.stringify([{ role: 'user', content: text }])), '--query', 'port'];
    assert.equal((await runCli(args)).out, '[0] user\nThe port is 8443.\n');
    const { hits } = (await runJson(...args)) as { hits: { text: string }[] };
    assert.equal(hits[0]?.text, text);
  });

  it('finds nothing for a query without matches', async () => {
    assert.deepEqual(await runJson('recall', DEMO_SESSION, '--query', 'xylophon quetschkommode'), { hits: [] });
  });

  describe('when verifying a journal', () => {
    const lines = ['Build', 'Build it'].map((title, index) =>
      encodeLine({
        v: 1,
        seq: index + 1,
        at: 1_772_442_000_000 + index,
        writer: 'w1',
        body:
          index === 0
            ? { type: 'session_created', id: sessionId('s1'), title, workspace: 'file:///w' }
            : { type: 'session_renamed', title },
      }),
    );
    const text = lines.map((line) => (line.endsWith('\n') ? line : `${line}\n`)).join('');

    it('reports that a sound journal has no problems', async () => {
      const { code, out } = await runCli(['verify', file('sound.jsonl', text)]);
      assert.equal(code, 0);
      assert.match(out, /no problems found, entries: 2/);
    });

    it('exits with 1 and names the first fault if a letter was changed', async () => {
      const damaged = file('damaged.jsonl', text.replace('Build it', 'Built it'));
      const { code, err, out } = await runCli(['verify', damaged]);
      assert.deepEqual([code, out], [1, '']);
      assert.match(err, /line 2: /);
      const json = await runCli(['verify', damaged, '--json']);
      assert.equal(json.code, 1);
      assert.deepEqual(Object.keys(JSON.parse(json.out) as object), ['ok', 'line', 'fault']);
    });
  });

  describe('with a provider', () => {
    const refusal = { message: 'Incorrect API key provided: sk-wrong', code: 'invalid_api_key' };

    for (const [provider, key] of [
      ['openai', 'OPENAI_API_KEY'],
      ['anthropic', 'ANTHROPIC_API_KEY'],
    ] as const) {
      it(`exits with 2 and a one-line error when ${provider} rejects the key, without printing the key`, async () => {
        const { code, out, err } = await answering(401, { error: refusal }, (base) =>
          runCli(
            ['compress', DEMO_SESSION, '--target-tokens', '8000', '--provider', provider, '--base-url', base, '--json'],
            { [key]: 'sk-wrong' },
          ),
        );
        assert.deepEqual([code, out], [2, '']);
        assert.match(err, /rejected the API key/);
        assert.equal(err.trimEnd().split('\n').length, 1);
        assert.doesNotMatch(err, /sk-wrong/);
      });

      it(`names the variable to set if ${provider} at another address requires a key`, async () => {
        const { code, err } = await answering(401, { error: refusal }, (base) =>
          runCli(['levels', DEMO_SESSION, '--provider', provider, '--base-url', base]),
        );
        assert.equal(code, 2);
        assert.match(err, new RegExp(`^threadkeeper: The server requires an API key\\. Set .*${key}.*\\n$`));
      });

      it(`asks ${provider} with the functions of Node.js 20`, async () => {
        const options = ['--target-tokens', '8000', '--provider', provider, '--base-url'];
        const env = {
          [key]: 'sk-wrong',
          NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(AS_NODE_20)}`,
        };
        const { err } = await answering(401, { error: refusal }, (base) =>
          spawnCli(['compress', DEMO_SESSION, ...options, base], { env }),
        );
        assert.match(err, /rejected the API key/);
      });
    }
  });

  it('exits with 2 and says how to trust the issuer if the certificate of the server can’t be verified', async () => {
    const refused = `globalThis.fetch = async () => {
      const cause = Object.assign(new Error('self-signed certificate'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
      throw new TypeError('fetch failed', { cause });
    };`;
    const options = ['--provider', 'openai', '--model', 'gpt-4o-mini', '--base-url', 'https://localhost/v1'];
    const { code, out, err } = await spawnCli(
      ['compress', DEMO_SESSION, '--policy', 'steady', '--turn-by-turn', ...options],
      { env: { OPENAI_API_KEY: 'x', NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(refused)}` } },
    );
    assert.equal(code, 2);
    assert.equal(out, '');
    assert.match(err, /verify the server’s certificate.*NODE_EXTRA_CA_CERTS/);
    assert.doesNotMatch(err, /window/);
  });

  for (const [scheme, variable] of [
    ['https', 'HTTPS_PROXY'],
    ['http', 'HTTP_PROXY'],
  ] as const)
    it(`exits with 2 and says where to enter the password if the proxy for ${scheme} requires one`, async () => {
      const answer: RequestListener = (_request, response) => response.writeHead(407).end('Who are you?');
      await using proxy = await new LoopbackServer().listen(answer);
      proxy.http.on('connect', (_request, socket) => socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'));
      const { code, out, err } = await spawnCli(
        [
          ...['compress', DEMO_SESSION, '--target-tokens', '8000', '--provider', 'openai', '--model', 'gpt-4o-mini'],
          ...['--base-url', `${scheme}://models.invalid/v1`],
        ],
        { env: { [variable]: proxy.url } },
      );
      assert.deepEqual([code, out], [2, '']);
      assert.match(err, /^threadkeeper: The proxy requires authentication\. Set HTTPS_PROXY/);
    });

  it('passes on the provider’s message if the server rejects a request, also turn by turn', async () => {
    const from = file('part.jsonl', readFileSync(DEMO_SESSION, 'utf8').split('\n').slice(0, 60).join('\n'));
    const error = { message: 'The parameter `seed` is \x1b[31mnot supported.' };
    await answering(400, { error }, async (base) => {
      for (const more of [
        ['--target-tokens', '2000'],
        ['--policy', 'steady', '--turn-by-turn'],
      ]) {
        const options = ['--provider', 'openai', '--model', 'gpt-4o-mini', '--base-url', base, ...more];
        const { err } = await runCli(['compress', from, ...options]);
        assert.match(err, /rejected the request\..* Provider’s message: The parameter `seed` is not supported\.\n$/);
      }
    });
  });

  for (const [how, answers, args] of [
    ['at once', ['I’m sorry, but I can’t help with that.'], ['--target-tokens', '8000']],
    ['turn by turn', Array(3).fill('They built a lock service.'), ['--policy', 'steady', '--turn-by-turn']],
  ] as const)
    it(`states the calls that were paid for before the quota was used up (${how})`, async () => {
      const queue = [...answers];
      const answer: RequestListener = (request, response) => {
        request.resume();
        const isList = request.url?.endsWith('/models') === true;
        const content = isList ? undefined : queue.shift();
        response.writeHead(isList || content !== undefined ? 200 : 429, { 'content-type': 'application/json' });
        const usage = { prompt_tokens: 1000, completion_tokens: 50 };
        const reply =
          content === undefined ? OUT_OF_QUOTA : { choices: [{ message: { content }, finish_reason: 'stop' }], usage };
        response.end(JSON.stringify(isList ? { data: [] } : reply));
      };
      const { code, out, err } = await serving(answer, (base) => {
        const options = ['--provider', 'openai', '--model', 'gpt-4o-mini', '--base-url', base];
        return runCli(['compress', DEMO_SESSION, ...args, ...options, '--json']);
      });
      assert.deepEqual([code, out], [2, '']);
      const { length } = answers;
      const tokens = `${(1000 * length).toLocaleString('en')} input tokens, ${50 * length} output tokens`;
      const cost = ((length * (1000 * 0.15 + 50 * 0.6)) / 1e6).toFixed(4);
      assert.match(err, /^threadkeeper: Your provider quota or credit is used up\. [^\n]*\n$/);
      assert.ok(err.endsWith(` Model calls until then: ${length} (${tokens}, $${cost}).\n`), err);
    });

  it('reports the cost that the provider reports if the model’s price is unknown', async () => {
    const usage = { prompt_tokens: 1000, completion_tokens: 50, cost: 0.002, cost_details: {} };
    const choice = { message: { content: 'They built a lock service.' }, finish_reason: 'stop' };
    await answering(200, { data: [], choices: [choice], usage }, async (base) => {
      const args = ['compress', DEMO_SESSION, '--target-tokens', '8000', '--provider', 'openai', '--model', 'acme/one'];
      const { calls } = (await runJson(...args, '--base-url', base)) as {
        calls: { count: number; costUsd: number | null };
      };
      assert.ok(calls.count > 0);
      assert.equal(calls.costUsd?.toFixed(6), (0.002 * calls.count).toFixed(6));
    });
  });
});
