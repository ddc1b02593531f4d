import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { serving } from '../../support/loopback-server.ts';
import { PROTOCOLS, ask, turn } from './protocols.ts';

describe('a redirect to another address', () => {
  for (const protocol of PROTOCOLS) {
    for (const status of [301, 302, 303, 307, 308]) {
      it(`is not followed, so that no text is sent there: ${protocol.name}, ${status}`, async () => {
        let arrived = 0;
        const count: RequestListener = (request, response) => {
          arrived++;
          request.resume();
          response.end('{}');
        };
        const { fault } = await serving(count, (other) =>
          serving(
            (request, response) => {
              request.resume();
              response.writeHead(status, { location: `${other}${request.url ?? ''}` }).end();
            },
            (url) => turn(protocol.make(url), ask('What we said.', { system: [] })),
          ),
        );
        assert.ok(fault);
        assert.equal(arrived, 0);
      });
    }
  }
});
