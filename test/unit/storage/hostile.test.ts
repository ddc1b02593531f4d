import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreFault, type SessionJournal } from '../../../src/app/ports.ts';
import { decodeLine, encodeLine } from '../../../src/storage/journal-line.ts';
import { messageId } from '../../../src/core/model/ids.ts';
import { messageText } from '../../../src/core/model/message.ts';
import { MessageViews } from '../../../src/host/chat/message-views.ts';
import { messageViewSchema } from '../../../src/protocol/views.ts';
import { nativeChecksum } from '../../../src/storage/checksum.ts';
import { readSnapshots, SNAPSHOT_VERSION, snapshotSession } from '../../../src/storage/snapshot.ts';
import * as v from 'valibot';
import { inFolder, messageAdded, noticeText, storeIn } from './test-store.ts';

/** Opens a store with a new session of `messages` messages, and returns them with the journal's path. */
async function written(folder: string, messages: number) {
  let windows = 0;
  const open = () => storeIn(folder, `w${++windows}`);
  const store = open();
  const journal = await store.create('Build', 'w');
  for (let n = 0; n < messages; n++) await journal.append(messageAdded(n));
  const path = join(folder, `${journal.id}.jsonl`);
  return { store, journal, path, open };
}

const texts = (journal: SessionJournal): string[] => [...journal.state.messages.values()].map(messageText);

/** A line with a valid checksum and any content. */
function forged(line: object): string {
  const open = JSON.stringify(line).slice(0, -1);
  return `${open},"sum":"${nativeChecksum(open)}"}\n`;
}

describe('storing hostile data', () => {
  it('reads messages back whatever their timestamps', () =>
    inFolder(async (folder) => {
      const { store, journal, open } = await written(folder, 0);
      for (const [n, at] of [Infinity, -Infinity, Number.NaN, 1e300, 1.7e18].entries())
        await journal.append({ type: 'message_added', message: { ...messageAdded(n).message, at } });
      await store.close();
      const again = await open().open(journal.id);
      assert.equal(texts(again).length, 5);
      for (const { at } of again.state.messages.values()) assert.doesNotThrow(() => new Date(at).toISOString());
    }));

  it('rejects a message that readers would refuse, and reports invalid data instead of a disk error', () =>
    inFolder(async (folder) => {
      const { journal } = await written(folder, 1);
      const nameless = { ...messageAdded(1).message, id: messageId('') };
      await assert.rejects(journal.append({ type: 'message_added', message: nameless }), (error) => {
        assert.ok(StoreFault.is(error, 'invalid'));
        assert.match(error.message, /because the data is invalid/);
        return true;
      });
      await journal.append(messageAdded(1));
      assert.equal(texts(journal).length, 2);
    }));

  it('displays messages with images of any media type', () =>
    inFolder(async (folder) => {
      const { journal } = await written(folder, 0);
      for (const mediaType of ['constructor', 'toString', 'hasOwnProperty', '__proto__', 'x'.repeat(500)]) {
        const { message } = messageAdded(1);
        await journal.append({
          type: 'message_added',
          message: {
            ...message,
            id: messageId(mediaType.padEnd(200, 'i').slice(0, 200)),
            content: [...message.content, { type: 'image', mediaType, base64: 'QQ==' }],
            attachments: [{ kind: 'file', name: 'a.ts', text: 'x' }],
          },
        });
      }
      const counts = { of: () => ({ body: 1 }) };
      const meter = { providerTokens: (counted: number) => counted };
      const views = new MessageViews({
        state: journal.state,
        meter,
        counts,
        counter: { attachment: () => 1 },
      } as never);
      assert.equal(journal.state.messages.size, 5);
      for (const message of journal.state.messages.values())
        assert.ok(v.is(messageViewSchema, views.of(message)), message.id);
    }));

  it('encodes and decodes unusual characters without changing them', () => {
    const body = messageAdded(0, 'a\u2028b\ud800c\u0000 -0');
    const line = encodeLine({ v: 1, seq: 1, at: 1, writer: 'w', body });
    const read = decodeLine(line);
    assert.deepEqual(read.kind === 'event' && read.envelope.body, body);
  });

  for (const seq of [2 ** 53 - 1, 2 ** 53, 2 ** 52, 1e300, 5_000_000]) {
    it(`keeps messages readable after a forged line with sequence number ${seq}`, () =>
      inFolder(async (folder) => {
        const { store, journal, path, open } = await written(folder, 2);
        await store.close();
        await appendFile(path, forged({ v: 1, seq, at: 1, writer: 'x', body: messageAdded(9, 'forged') }));
        const second = open();
        const again = await second.open(journal.id);
        for (const n of [2, 3, 4]) await again.append(messageAdded(n));
        await second.close();
        const third = await open().open(journal.id);
        for (const n of [0, 1, 2, 3, 4]) assert.ok(texts(third).includes(`message ${n}`), `message ${n} is there`);
      }));
  }
});

describe('damaged or unusual journal', () => {
  it('reports missing lines in its middle once', () =>
    inFolder(async (folder) => {
      const { store, journal, path, open } = await written(folder, 20);
      await store.close();
      const lines = (await readFile(path, 'utf8')).split('\n');
      await writeFile(path, lines.toSpliced(5, 6).join('\n'));
      const second = open();
      const again = await second.open(journal.id);
      assert.match(noticeText(again.notice), /6 entries are missing/);
      await again.append(messageAdded(20));
      await second.close();
      const third = open();
      assert.equal((await third.open(journal.id)).notice, undefined);
    }));

  it('reports a missing end even if its last line is complete', () =>
    inFolder(async (folder) => {
      const { store, journal, path, open } = await written(folder, 20);
      await store.close();
      const lines = (await readFile(path, 'utf8')).split('\n');
      await writeFile(path, `${lines.slice(0, 12).join('\n')}\n`);
      const again = await open().open(journal.id);
      assert.match(noticeText(again.notice), /entries at its end are missing/);
    }));

  it('is read completely after a tool has changed its line endings', () =>
    inFolder(async (folder) => {
      const { store, journal, path, open } = await written(folder, 5);
      await store.close();
      await writeFile(path, `\uFEFF${(await readFile(path, 'utf8')).replaceAll('\n', '\r\n')}`);
      const second = open();
      const again = await second.open(journal.id);
      assert.equal(texts(again).length, 5);
      await again.append(messageAdded(5));
      await second.close();
      const third = await open().open(journal.id);
      assert.equal(texts(third).length, 6);
      assert.equal(third.notice, undefined);
    }));

  it('a named pipe among the journals does not prevent listing the other sessions', async function () {
    if (process.platform === 'win32') this.skip();
    await inFolder(async (folder) => {
      const { store } = await written(folder, 1);
      execFileSync('mkfifo', [join(folder, 'x.jsonl')]);
      assert.equal((await store.list()).length, 1);
    });
  });

  it('refuses a message that is larger than readers accept', async function () {
    if (process.env['THREADKEEPER_LONG'] === undefined) this.skip();
    await inFolder(async (folder) => {
      const { journal } = await written(folder, 1);
      await assert.rejects(journal.append(messageAdded(1, 'x'.repeat(129 * 1024 * 1024))), (error) =>
        StoreFault.is(error, 'too_large'),
      );
      await journal.append(messageAdded(1));
    });
  });
});

describe('snapshots with an unreadable session', () => {
  it('keep the other sessions', () =>
    inFolder(async (folder) => {
      const { store, journal } = await written(folder, 2);
      const sound = snapshotSession(journal.state);
      await store.close();
      const bad = { ...sound, bodies: [{ role: 'nobody' }] };
      const read = readSnapshots({ v: SNAPSHOT_VERSION, live: [bad, sound, 7] });
      assert.equal(read.kind === 'valid' && read.snapshots.live.length, 1);
    }));
});
