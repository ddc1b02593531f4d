import assert from 'node:assert/strict';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { homeOf } from '../../../src/cli/read-chats.ts';
import { serve } from '../../../src/mcp/server.ts';
import { startCli } from '../cli/run-cli.ts';

export interface Answer {
  readonly id?: number | string | null;
  readonly result?: {
    readonly content?: readonly { readonly type: string; readonly text: string }[];
    readonly isError?: boolean;
    readonly [field: string]: unknown;
  };
  readonly error?: { readonly code: number; readonly message: string };
}

type Environment = Readonly<Record<string, string>>;

/** An MCP client that records each line from the server. */
export class McpClient {
  readonly lines: string[] = [];
  err = '';
  readonly #input: Writable;
  #kill: (signal: NodeJS.Signals) => void = () => assert.fail('the server runs in this process');
  #ended: Promise<number | null> = Promise.resolve(null);
  #rest = '';
  #lastId = 0;
  readonly #waiting: { readonly isFor: (answer: Answer) => boolean; readonly resolve: (answer: Answer) => void }[] = [];

  private constructor(input: Writable, output: Readable) {
    this.#input = input;
    output.setEncoding('utf8').on('data', (chunk: string) => this.#receive(chunk));
  }

  static start(home: string, env: Environment): McpClient {
    const input = new PassThrough();
    const output = new PassThrough();
    const client = new McpClient(input, output);
    const warn = (message: string): void => void (client.err += `threadkeeper: ${message}\n`);
    const served = serve({ home: homeOf({ home }, env), env, version: 'test', input, output, warn });
    client.#ended = served.then(() => 0);
    return client;
  }

  static spawn(home: string, env: Environment): McpClient {
    const process = startCli(['mcp', '--home', home], env);
    const client = new McpClient(process.stdin, process.stdout);
    process.stderr.setEncoding('utf8').on('data', (chunk: string) => (client.err += chunk));
    client.#kill = (signal) => process.kill(signal);
    client.#ended = new Promise((resolve) => process.on('close', resolve));
    return client;
  }

  async initialize(protocolVersion = '2025-11-25'): Promise<Answer> {
    const clientInfo = { name: 'test', version: '1' };
    const answer = await this.request('initialize', { protocolVersion, capabilities: {}, clientInfo });
    this.write({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return answer;
  }

  write(message: object | string): void {
    this.#input.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
  }

  request(method: string, params?: object): Promise<Answer> {
    const id = ++this.#lastId;
    const answer = this.next((one) => one.id === id);
    this.write({ jsonrpc: '2.0', id, method, ...(params && { params }) });
    return answer;
  }

  /** The next message for which `isFor` returns true. */
  next(isFor: (answer: Answer) => boolean): Promise<Answer> {
    return new Promise((resolve) => this.#waiting.push({ isFor, resolve }));
  }

  async call(name: string, args: object = {}): Promise<string> {
    const { result, error } = await this.request('tools/call', { name, arguments: args });
    assert.ok(result && result.isError !== true, JSON.stringify(result ?? error));
    return textOf(result);
  }

  async rejected(name: string, args: object = {}): Promise<string> {
    const { result } = await this.request('tools/call', { name, arguments: args });
    assert.equal(result?.isError, true, JSON.stringify(result));
    return textOf(result);
  }

  /** Closes the server's input. Resolves to its exit code. */
  end(): Promise<number | null> {
    this.#input.end();
    return this.#ended;
  }

  /** Sends a signal to the process. Resolves to its exit code. */
  kill(signal: NodeJS.Signals): Promise<number | null> {
    this.#kill(signal);
    return this.#ended;
  }

  #receive(chunk: string): void {
    const lines = (this.#rest + chunk).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      this.lines.push(line);
      const answer = JSON.parse(line) as Answer;
      const at = this.#waiting.findIndex(({ isFor }) => isFor(answer));
      if (at !== -1) this.#waiting.splice(at, 1)[0]!.resolve(answer);
    }
  }
}

function textOf(result: Answer['result']): string {
  const [block, ...others] = result?.content ?? [];
  assert.deepEqual([block?.type, others], ['text', []]);
  return block!.text;
}
