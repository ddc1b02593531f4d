import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import net from 'node:net';
import path from 'node:path';
import { ExpectedError } from '../support/expected-error.ts';

/**
 * A proxy for VS Code's server that keeps the port the same between runs, and provides the key with which the workbench
 * encrypts secrets. The server itself provides no key, so `SecretStorage` would be empty after each reload.
 */
export interface ServerProxy {
  /** Such as `http://127.0.0.1:8947`. */
  readonly origin: string;
  close(): Promise<void>;
}

/** The length that the workbench requires: an AES-256 key. */
const KEY_BYTES = 32;
/** Interval of requests that keep the server running, in ms. The server ends after five minutes without a window. */
const KEEP_ALIVE_EVERY_MS = 60_000;

async function readOrCreateKey(file: string): Promise<Buffer> {
  if (existsSync(file)) return readFile(file);
  const key = randomBytes(KEY_BYTES);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, key, { mode: 0o600 });
  return key;
}

/** @throws ExpectedError if the port isn't available */
async function listen(server: net.Server, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE' || error.code === 'EACCES';
      reject(taken ? new ExpectedError(`Port ${port} is in use: end what uses it, or set PORT to a free one.`) : error);
    });
    server.listen(port, '127.0.0.1', resolve);
  });
}

/**
 * Checks that a port is available, before anything else is started.
 *
 * @throws ExpectedError if it isn't
 */
export async function requireFreePort(port: number): Promise<void> {
  const probe = net.createServer();
  await listen(probe, port);
  await new Promise((resolve) => probe.close(resolve));
}

/**
 * Starts the proxy at `port` (0: any free one). The key is stored in `keyFile`.
 *
 * @throws ExpectedError if the port isn't available
 */
export async function startServerProxy(serverOrigin: string, port: number, keyFile: string): Promise<ServerProxy> {
  const key = await readOrCreateKey(keyFile);
  const target = new URL(serverOrigin);
  const address = { host: target.hostname, port: Number(target.port) };
  const sockets = new Set<net.Socket>();

  const proxy = http.createServer((request, response) => {
    if (request.method === 'POST' && /\/mint-key(\?|$)/.test(request.url ?? '')) {
      response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(key);
      return;
    }
    const { method, url, headers } = request;
    const onward = http.request({ ...address, method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.once('error', () => {
      if (!response.headersSent) response.writeHead(502);
      response.end();
    });
    request.pipe(onward);
  });
  proxy.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  proxy.on('upgrade', (request, socket, head) => {
    const onward = net.connect(address, () => {
      const lines = [`${request.method ?? 'GET'} ${request.url ?? '/'} HTTP/1.1`];
      for (let i = 0; i < request.rawHeaders.length; i += 2) {
        lines.push(`${request.rawHeaders[i]!}: ${request.rawHeaders[i + 1]!}`);
      }
      onward.write(`${lines.join('\r\n')}\r\n\r\n`);
      onward.write(head);
      onward.pipe(socket).pipe(onward);
    });
    // Close each connection when the other one is closed.
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
    onward.on('close', () => socket.destroy());
    socket.on('close', () => onward.destroy());
  });

  await listen(proxy, port);
  const keepAlive = setInterval(() => {
    http
      .get({ ...address, path: '/delay-shutdown' }, (answer) => answer.resume())
      // The server has ended. Whoever started it learns that from `EditorServer.ended`.
      .on('error', () => clearInterval(keepAlive));
  }, KEEP_ALIVE_EVERY_MS);
  return {
    origin: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    close: async () => {
      clearInterval(keepAlive);
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}
