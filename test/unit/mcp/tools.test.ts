import assert from 'node:assert/strict';
import path from 'node:path';
import v8 from 'node:v8';
import vm from 'node:vm';
import { McpServer, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/server';
import { NEVER_YIELDS } from '../../../src/core/pace/yielder.ts';
import { MachineChats } from '../../../src/mcp/machine-chats.ts';
import { renderMessages } from '../../../src/mcp/render-chats.ts';
import { ChatTools } from '../../../src/mcp/tools.ts';
import { CHAT_ENTRY } from '../../support/external-chats.ts';
import { claudeMessage, iso, jsonl, putFile } from '../../support/tool-homes/conversation.ts';
import { folderForEachTest } from '../../support/per-test.ts';
import { until } from '../../support/until.ts';

describe('MCP tools', () => {
  let place = '';
  let chats: MachineChats;
  let transport: Transport & { received?: (message: JSONRPCMessage) => void };
  const now = performance.now.bind(performance);

  folderForEachTest((made) => (place = made));
  beforeEach(async () => {
    putFile(place, 'index/empty', '');
    chats = new MachineChats({
      home: { folder: path.join(place, 'home'), env: {} },
      folder: { path: path.join(place, 'index'), isTemporary: false },
      warn: (message) => assert.fail(message),
    });
    const server = new McpServer({ name: 'test', version: '1' }, { capabilities: { tools: {} } });
    new ChatTools(chats, NEVER_YIELDS).register(server);
    transport = {
      start: () => Promise.resolve(),
      close: () => Promise.resolve(),
      send: (message) => Promise.resolve(transport.received?.(message)),
    };
    await server.connect(transport);
  });
  afterEach(async () => {
    performance.now = now;
    await chats.close();
  });

  const putChat = (name: string, records: string): string =>
    putFile(place, `home/.claude/projects/p/${name}.jsonl`, records);
  const call = async (name: string, args: object): Promise<string> => {
    const answer = new Promise<JSONRPCMessage>((resolve) => (transport.received = resolve));
    transport.onmessage?.({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: { ...args } } });
    return JSON.stringify(await answer);
  };
  /** Sets the clock ahead, which makes the index stale and exceeds time limits. */
  const passTime = (ms: number): void => {
    performance.now = () => now() + ms;
  };
  const eachReadTakes = (ms: number): void => {
    const read = chats.read.bind(chats);
    let passed = 0;
    chats.read = (key) => {
      passTime((passed += ms));
      return read(key);
    };
  };
  const reply = (session: string, ...texts: readonly string[]): string =>
    jsonl(
      ...texts.map((text) =>
        claudeMessage('assistant', [{ type: 'text', text }], { sessionId: session, message: { id: 'm1' } }),
      ),
    );

  it('keep the decisions of a chat that grows in memory, but not its messages', async () => {
    v8.setFlagsFromString('--expose-gc');
    const collectGarbage = vm.runInNewContext('gc') as () => void;
    const usedBytes = (): number => {
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    const length = 2_000_000;
    let decision = '';
    chats.read = () => {
      const text = `${decision}${'\n'.repeat(length)}`;
      return Promise.resolve({ messages: [{ role: 'assistant', text }], compactions: [], lost: [] });
    };
    const grow = async (version: number): Promise<void> => {
      decision = `Decided: the port is ${4_600 + version}.`;
      putChat('s', reply('s', decision));
      passTime(version * 600_000);
      // On a busy machine, a call may return before the change is read.
      await until(async () => (await call('decisions', {})).includes(decision));
    };
    await grow(1);
    const before = usedBytes();
    for (let version = 2; version < 12; version++) await grow(version);
    const kept = usedBytes() - before;
    assert.ok(kept < 5 * length, `${kept} bytes for 10 versions of ${length}`);
  });

  it('list the decisions of a reply that has grown since', async () => {
    putChat('s', reply('s', 'Decided: the port is 4600.'));
    assert.match(await call('decisions', {}), /4600/);
    putChat('s', reply('s', 'Decided: the port is 4600.', 'Decided: SQLite for the orders.'));
    passTime(200_000);
    assert.match(await call('decisions', {}), /SQLite/);
  });

  it('show no more messages at a time than there is room for, even if they are empty', () => {
    const entry = { ...CHAT_ENTRY, messages: 5_000 };
    const messages = Array.from({ length: 5_000 }, () => ({ role: 'tool' as const, text: '' }));
    const range = { from: 0, to: 4_999, offset: 0 };
    const { text, next } = renderMessages({ key: 'k', entry, isGone: false }, messages, range);
    assert.ok(Buffer.byteLength(text) <= 32_000, `${Buffer.byteLength(text)}`);
    assert.ok(next && next.from > 1_000);
  });

  it('quote terminal output without its colors', async () => {
    const output = 'Ran the tests: \x1b[31mFAILED\x1b[0m ledger.test.ts';
    putChat('s', reply('s', output));
    for (const quoted of [
      await call('recall', { query: 'ledger tests' }),
      await call('expand', { session: 's', from: 0 }),
    ]) {
      assert.match(quoted, /Ran the tests: FAILED ledger\.test\.ts/);
      assert.doesNotMatch(quoted, /u001b/);
    }
  });

  it('name who made a decision if several people write as the user', async () => {
    const said = 'Karim: Nice to see you all again. We decided to take the train to Lerwick, not the ferry.';
    putChat('s', jsonl(claudeMessage('user', said)));
    assert.match(await call('decisions', {}), /Karim: … We decided to take the train/);
  });

  it('list the decisions of the chats that could be read in time, and of the others when called again', async () => {
    const choices = ['SQLite for the orders', 'Postmark for the mail', 'esbuild for the page'];
    for (const [at, choice] of choices.entries()) putChat(`s${at}`, reply(`s${at}`, `Decided: ${choice}.`));
    const listed = (text: string): number => choices.filter((choice) => text.includes(choice)).length;
    eachReadTakes(15_000);
    const first = await call('decisions', {});
    assert.equal(listed(first), 2);
    assert.match(first, /Only the newest 2 of 3 chats were read\..*call again/);
    const second = await call('decisions', {});
    assert.equal(listed(second), 3);
    assert.doesNotMatch(second, /call again/);
  });

  const userMessages = (session: string, ...texts: readonly string[]): string =>
    jsonl(...texts.map((text, at) => claudeMessage('user', text, { sessionId: session, timestamp: iso(60 * at) })));
  const changed = (port: number): string[] => [
    `We use port ${port} for the gateway.`,
    'Thanks.',
    `No, use port 8443 for the gateway, not ${port}.`,
  ];

  it('name the later message that superseded a quote', async () => {
    putChat('s', userMessages('s', ...changed(8080)));
    const found = await call('recall', { query: 'gateway port' });
    assert.match(
      found,
      /We use port 8080 for the gateway\.\\n\(“We use port 8080 for the gateway\.” is superseded by message 2, user: “No, use port 8443 for the gateway, not 8080\.”\)/,
    );
    assert.equal(found.split('is superseded by').length, 2);
    assert.doesNotMatch(found, /wasn’t checked/);
  });

  it('say which sessions couldn’t be checked in time, and check the quotes of the others', async () => {
    for (const port of [8081, 8082, 8083]) putChat(`s${port}`, userMessages(`s${port}`, ...changed(port)));
    eachReadTakes(1_000);
    const found = await call('recall', { query: 'gateway port', limit: 20 });
    const [, unchecked = ''] = /wasn’t checked in (.*?), because/.exec(found) ?? [];
    assert.equal(unchecked.split(', ').length, 1);
    assert.match(unchecked, /^claude-code-\w+$/);
    assert.equal(found.match(/is superseded by/g)?.length, 2);
    assert.equal((await call('recall', { query: 'gateway port', limit: 20 })).match(/is superseded by/g)?.length, 3);
  });

  it('have checked the quotes of a long chat when called again, unless the chat is in use', async () => {
    eachReadTakes(60_000);
    putChat('old', userMessages('old', ...changed(8081)));
    const longer = userMessages('now', ...changed(8082), 'Thanks again. '.repeat(50));
    const recent = longer.replaceAll(/2026-03-02T09:0\d:00\.000Z/g, new Date().toISOString());
    putChat('now', recent);
    const recall = (): Promise<string> => call('recall', { query: 'gateway port', limit: 20 });
    const first = await recall();
    assert.equal(/wasn’t checked in (.*?), because/.exec(first)?.[1]?.split(', ').length, 2);
    for (let time = 0; time < 2; time++) {
      await new Promise((resolve) => setImmediate(resolve));
      const again = await recall();
      assert.equal(/wasn’t checked in (.*?), because/.exec(again)?.[1]?.split(', ').length, 1);
      assert.match(again, /“We use port 8081 for the gateway\.” is superseded by/);
    }
  });

  it('check the quotes of other chats although the best is in a long one', async () => {
    putChat('s8091', userMessages('s8091', ...changed(8091)));
    const long = [...changed(8092), 'The log says nothing else. '.repeat(2_000)];
    putChat('s8092', userMessages('s8092', ...long));
    const read = chats.read.bind(chats);
    chats.read = async (key) => {
      const chat = await read(key);
      if (chat?.messages.length === long.length) passTime(60_000);
      return chat;
    };
    const found = await call('recall', { query: 'gateway port 8092', limit: 20 });
    assert.equal(/wasn’t checked in (.*?), because/.exec(found)?.[1]?.split(', ').length, 1);
    assert.match(found, /“We use port 8091 for the gateway\.” is superseded by/);
  });

  describe('asked by a chat in use', () => {
    const PROMPT = 'Find out where we moored the zeppelin with your recall tool, and write it into the plan.';
    const query = 'where we moored the zeppelin';
    const said = (role: 'user' | 'assistant', content: unknown): object => {
      const timestamp = new Date().toISOString();
      return claudeMessage(role, content, { sessionId: 'now', timestamp, message: { id: `m ${timestamp}` } });
    };
    const asked = (input: object): object =>
      said('assistant', [{ type: 'tool_use', id: 't1', name: 'mcp__threadkeeper__recall', input }]);
    const ANSWER =
      'In the spring of that year, after the permit of the harbor master had come, the zeppelin was moored at the mast.';

    beforeEach(() => {
      putChat('old', userMessages('old', 'Hello.', ANSWER));
    });

    it('leave out the prompt that the chat is answering', async () => {
      putChat('now', jsonl(said('user', PROMPT), asked({ query })));
      const found = await call('recall', { query });
      assert.match(found, /at the mast/);
      assert.doesNotMatch(found, /write it into the plan\.\\n/);
    });

    it('quote the newest prompt of a chat that calls another tool with the same words', async () => {
      const other = said('assistant', [{ type: 'tool_use', id: 't1', name: 'mcp__notes__search', input: { query } }]);
      putChat('now', jsonl(said('user', PROMPT), other));
      assert.match(await call('recall', { query }), /write it into the plan/);
    });

    it('rank its newest prompt below an answer while the call isn’t stored yet', async () => {
      putChat('now', jsonl(said('user', PROMPT)));
      const found = await call('recall', { query });
      assert.ok(found.indexOf('at the mast') < found.indexOf('write it into the plan'), found);
    });

    it('quote its earlier prompts', async () => {
      putChat('now', jsonl(said('user', PROMPT), said('user', 'Go on.'), asked({ query })));
      assert.match(await call('recall', { query }), /^.*write it into the plan.*at the mast/);
    });
  });
});
