import assert from 'node:assert/strict';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
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

/** A client that speaks MCP with `threadkeeper mcp` in a separate process. */
export class McpClient {
  /** Every line that the server wrote to standard output. */
  readonly lines: string[] = [];
  err = '';
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #ended: Promise<number | null>;
  #rest = '';
  #lastId = 0;
  readonly #waiting: { readonly isFor: (answer: Answer) => boolean; readonly resolve: (answer: Answer) => void }[] = [];

  private constructor(process: ChildProcessWithoutNullStreams) {
    this.#process = process;
    process.stdout.setEncoding('utf8').on('data', (chunk: string) => this.#receive(chunk));
    process.stderr.setEncoding('utf8').on('data', (chunk: string) => (this.err += chunk));
    this.#ended = new Promise((resolve) => process.on('close', resolve));
  }

  static async start(args: readonly string[], env: Readonly<Record<string, string>>): Promise<McpClient> {
    return new McpClient(await startCli(['mcp', ...args], env));
  }

  /** Starts a server and initializes the connection. */
  static async connect(args: readonly string[], env: Readonly<Record<string, string>>): Promise<McpClient> {
    const client = await McpClient.start(args, env);
    await client.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    });
    client.write({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return client;
  }

  /** Sends a line: a message, or any text. */
  write(message: object | string): void {
    this.#process.stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
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

  /** The text of a tool's result. Throws if the call failed. */
  async call(name: string, args: object = {}): Promise<string> {
    const { result, error } = await this.request('tools/call', { name, arguments: args });
    assert.ok(result && result.isError !== true, JSON.stringify(result ?? error));
    return textOf(result);
  }

  /** The text of a call that the tool rejects. */
  async rejected(name: string, args: object = {}): Promise<string> {
    const { result } = await this.request('tools/call', { name, arguments: args });
    assert.equal(result?.isError, true, JSON.stringify(result));
    return textOf(result);
  }

  /** Closes the server's input. Resolves to its exit code. */
  end(): Promise<number | null> {
    this.#process.stdin.end();
    return this.#ended;
  }

  /** Asks the process to end. */
  kill(signal: NodeJS.Signals): Promise<number | null> {
    this.#process.kill(signal);
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
