import assert from 'node:assert/strict';
import { ModelFault } from '../../../src/app/fault.ts';
import { watchStream } from '../../../src/providers/watched-call.ts';

describe('call that its caller aborts', () => {
  const ended = (signal: AbortSignal): Promise<unknown> =>
    watchStream(
      signal,
      {},
      ({ controller }) => ({
        [Symbol.asyncIterator]: () => ({
          next: () => new Promise((_, reject) => controller.signal.addEventListener('abort', reject)),
        }),
      }),
      () => new ModelFault('network', 'not the end that was asked for'),
    ).next();

  it('fails as cancelled when the user aborts, and as a timeout when the caller’s time limit expires', async () => {
    const user = new AbortController();
    const cancelled = ended(AbortSignal.any([user.signal, AbortSignal.timeout(60_000)]));
    user.abort();
    await assert.rejects(cancelled, (error) => ModelFault.is(error, 'cancelled'));
    const limited = ended(AbortSignal.any([new AbortController().signal, AbortSignal.timeout(1)]));
    await assert.rejects(limited, (error) => ModelFault.is(error, 'timeout'));
  });
});
