import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Runs `work` with the URL of a server that answers with `answer`, and then closes all of its connections. */
export async function serving<T>(answer: RequestListener, work: (url: string) => Promise<T>): Promise<T> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
