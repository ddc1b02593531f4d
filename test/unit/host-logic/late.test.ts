import assert from 'node:assert/strict';
import { Late } from '../../../src/host/platform/lazy.ts';

interface Part {
  closed: boolean;
  close(): Promise<void>;
}

function part(): Part {
  return {
    closed: false,
    close() {
      this.closed = true;
      return Promise.resolve();
    },
  };
}

const sentence = (error: unknown): string => `It could not start. (${error instanceof Error ? error.message : ''})`;

describe('the product, which is read when it is needed', () => {
  it('is made for the first who asks, once for all', async () => {
    let made = 0;
    const late = new Late(() => Promise.resolve({ ...part(), nr: ++made }), sentence);
    assert.equal(made, 0);
    const [one, other] = await Promise.all([late.get(), late.get()]);
    assert.equal(one, other);
    assert.equal(await late.get(), one);
    assert.equal(made, 1);
  });

  it('that cannot be read is told in one sentence, and tried again for the next who asks', async () => {
    const broken = new Error('no such file');
    let tries = 0;
    const late = new Late(() => (++tries === 1 ? Promise.reject(broken) : Promise.resolve(part())), sentence);
    await assert.rejects(late.get(), { message: 'It could not start. (no such file)', cause: broken });
    assert.equal((await late.get()).closed, false);
    assert.equal(tries, 2);
  });

  it('is closed when the extension ends', async () => {
    const late = new Late(() => Promise.resolve(part()), sentence);
    const made = await late.get();
    await late.end();
    assert.equal(made.closed, true);
    await assert.rejects(late.get(), /ended/);
  });

  it('is closed as soon as it is there when the extension ends while it is read', async () => {
    const made = part();
    let give: (made: Part) => void = () => undefined;
    const late = new Late(() => new Promise<Part>((resolve) => (give = resolve)), sentence);
    const asked = late.get();
    const ended = late.end();
    assert.equal(made.closed, false);
    give(made);
    await ended;
    assert.equal(await asked, made);
    assert.equal(made.closed, true);
  });

  it('leaves nothing to be closed where nobody asked, or where it could not be read', async () => {
    await new Late(() => Promise.resolve(part()), sentence).end();
    const late = new Late<Part>(() => Promise.reject(new Error('no such file')), sentence);
    const asked = assert.rejects(late.get());
    await late.end();
    await asked;
  });
});
