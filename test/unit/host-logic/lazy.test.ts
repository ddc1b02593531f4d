import assert from 'node:assert/strict';
import { setImmediate as soon } from 'node:timers/promises';
import { Lazy } from '../../../src/host/platform/lazy.ts';
import type * as ProductModule from '../../../src/host/threadkeeper.ts';
import { hostIn } from '../../support/fake-editor.ts';

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

describe('lazily loaded product', () => {
  it('is created on first use, once for all callers', async () => {
    let made = 0;
    const lazy = new Lazy(() => Promise.resolve({ ...part(), nr: ++made }), sentence);
    assert.equal(made, 0);
    const [one, other] = await Promise.all([lazy.get(), lazy.get()]);
    assert.equal(one, other);
    assert.equal(await lazy.get(), one);
    assert.equal(made, 1);
  });

  it('reports a load failure in one sentence and retries for the next caller', async () => {
    const broken = new Error('no such file');
    let tries = 0;
    const lazy = new Lazy(() => (++tries === 1 ? Promise.reject(broken) : Promise.resolve(part())), sentence);
    await assert.rejects(lazy.get(), { message: 'It could not start. (no such file)', cause: broken });
    assert.equal((await lazy.get()).closed, false);
    assert.equal(tries, 2);
  });

  it('is closed when the extension ends, even if loading finishes only then', async () => {
    for (const isEarly of [true, false]) {
      const { promise, resolve } = Promise.withResolvers<Part>();
      const made = part();
      const lazy = new Lazy(() => promise, sentence);
      const asked = lazy.get();
      if (isEarly) resolve(made);
      if (isEarly) await asked;
      const ended = lazy.close();
      resolve(made);
      await ended;
      assert.equal(await asked, made);
      assert.equal(made.closed, true);
      await assert.rejects(lazy.get(), /ended/);
    }
  });

  it('ends cleanly when it was never requested or failed to load', async () => {
    await new Lazy(() => Promise.resolve(part()), sentence).close();
    const lazy = new Lazy<Part>(() => Promise.reject(new Error('no such file')), sentence);
    const asked = assert.rejects(lazy.get());
    await lazy.close();
    await asked;
  });
});

describe('closing the product', () => {
  /** Closes a product with these parts. `closed` lists the parts in the order in which they were closed. */
  async function close(parts: object): Promise<{ readonly closed: readonly string[]; readonly ended: Promise<void> }> {
    const { Threadkeeper } = await hostIn({})<typeof ProductModule>('threadkeeper.ts');
    const closed: string[] = [];
    const note = (name: string) => () => Promise.resolve(void closed.push(name));
    const product = {
      dispose: () => undefined,
      drafts: { retry: note('drafts') },
      attachments: { retry: note('attachments') },
      channel: { dispose: note('log') },
      chats: { close: note('chats') },
      snapshots: { dispose: note('snapshots') },
      sessions: { close: note('sessions') },
      store: { close: note('store') },
      ...parts,
    };
    return { closed, ended: Threadkeeper.prototype.close.call(product as never) };
  }

  it('closes the journals while other tools’ chats are still being read, and the log last', async () => {
    const read = Promise.withResolvers<undefined>();
    const { closed, ended } = await close({ chats: { close: () => read.promise } });
    await soon();
    assert.deepEqual(closed, ['drafts', 'attachments', 'snapshots', 'sessions', 'store']);
    read.resolve(undefined);
    await ended;
    assert.equal(closed.at(-1), 'log');
  });

  it('closes the journals even if something else can’t be closed', async () => {
    const fails = () => Promise.reject(new Error('It failed.'));
    for (const [name, parts] of [
      ['chats', { chats: { close: fails } }],
      ['snapshots', { snapshots: { dispose: fails } }],
      ['sessions', { sessions: { close: fails } }],
    ] as const) {
      const { closed, ended } = await close(parts);
      await assert.rejects(ended, /It failed/);
      const expected = ['attachments', 'chats', 'drafts', 'log', 'sessions', 'snapshots', 'store'].filter(
        (one) => one !== name,
      );
      assert.deepEqual([...closed].sort(), expected);
    }
  });
});
