import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An HTTP server on loopback, at any free port by default. */
export class LoopbackServer {
  readonly http = createServer();

  async listen(answer: RequestListener, port = 0): Promise<this> {
    this.http.on('request', answer);
    await new Promise<void>((resolve) => this.http.listen(port, '127.0.0.1', resolve));
    return this;
  }

  /** `http://127.0.0.1:port` */
  get url(): string {
    return `http://127.0.0.1:${(this.http.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.http.closeAllConnections();
    await new Promise((resolve) => this.http.close(resolve));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}

/** Runs `work` with the URL of a server that answers with `answer`, and then closes all of its connections. */
export async function serving<T>(answer: RequestListener, work: (url: string) => Promise<T>): Promise<T> {
  await using server = await new LoopbackServer().listen(answer);
  return await work(server.url);
}
