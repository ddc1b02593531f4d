import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ModelFault } from '../../../src/app/fault.ts';
import { PROTOCOLS } from './protocols.ts';

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('a redirect to another address', () => {
  for (const protocol of PROTOCOLS) {
    for (const status of [301, 302, 303, 307, 308]) {
      it(`is not followed, so that no text is sent there: ${protocol.name}, ${status}`, async () => {
        let arrived = 0;
        const other = createServer((request, response) => {
          arrived++;
          request.resume();
          response.end('{}');
        });
        const location = await listen(other);
        const first = createServer((request, response) => {
          request.resume();
          response.writeHead(status, { location: `${location}${request.url ?? ''}` }).end();
        });
        try {
          const model = protocol.make(await listen(first));
          const request = {
            purpose: 'chat' as const,
            system: [],
            messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'What we said.' }] }],
            maxOutputTokens: 10,
          };
          await assert.rejects(async () => {
            const chunks = [];
            for await (const chunk of model.stream(request, new AbortController().signal)) chunks.push(chunk);
          }, ModelFault);
          assert.equal(arrived, 0);
        } finally {
          first.close();
          other.close();
        }
      });
    }
  }
}).timeout(60_000);
