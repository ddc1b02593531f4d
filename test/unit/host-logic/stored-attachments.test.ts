import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rm, rmdir, stat, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Conversation } from '../../../src/app/conversation.ts';
import { sessionId } from '../../../src/core/model/ids.ts';
import type * as AttachmentsModule from '../../../src/host/chat/attachments.ts';
import { StoredAttachments } from '../../../src/host/chat/stored-attachments.ts';
import { hostIn } from '../../support/fake-editor.ts';
import { refusingRenames } from '../../support/failing-files.ts';
import { openForEachTest } from '../../support/per-test.ts';
import { alwaysDue } from '../../support/yielders.ts';
import { Harness } from '../app/harness.ts';

const { Attachments } = await hostIn({})<typeof AttachmentsModule>('chat/attachments.ts');

const file = (text: string) => ({ kind: 'file', name: 'src/a.ts', text, uri: 'file:///w/src/a.ts' }) as const;
const png = { type: 'image', mediaType: 'image/png', base64: 'iVBORw0KGgo=' } as const;
const image = { kind: 'image', name: 'a.png', image: png } as const;

describe('attachments of an unsent message', () => {
  let harness: Harness;
  let conversation: Conversation;
  let cuts: number;
  openForEachTest(async () => (harness = await Harness.open()));
  beforeEach(async () => {
    conversation = await harness.converse();
    cuts = 0;
  });

  const warn = (text: string): void => assert.fail(text);
  const reportFailure = (): void => assert.fail('It was not stored.');
  const stored = () => new StoredAttachments({ folder: harness.folder, warn, reportCut: () => cuts++, reportFailure });
  /** The attachments of the window before a reload, or of the one after it. */
  function attachments() {
    const models = { takesImages: () => true };
    return new Attachments({ clock: harness.clock, models, chosenModel: () => ({}) } as never, {} as never, stored());
  }
  const storedFiles = async () => (await readdir(harness.folder)).filter((name) => name.includes('.attachment'));

  it('survive a reload', async () => {
    const before = attachments();
    const { id } = conversation.journal;
    await before.addAll(conversation, file('const port = 8443;'), image);
    before.setImplicit(id, file('The file that is open.'));
    const after = attachments();
    assert.deepEqual(
      after.views(id),
      before.views(id).filter(({ implicit }) => !implicit),
    );
    const ids = after.views(id).map((view) => view.id);
    assert.deepEqual(after.take(id, ids), { attachments: [file('const port = 8443;')], images: [png] });
  });

  it('are in a file that only the user can read, until they are sent or removed', async () => {
    const { id } = conversation.journal;
    const open = attachments();
    await open.addAll(conversation, file('const port = 8443;'));
    const [name] = await storedFiles();
    assert.equal((await stat(path.join(harness.folder, name!))).mode & 0o077, 0);
    open.remove(open.views(id)[0]!.id);
    assert.deepEqual(await storedFiles(), []);
    await open.restore(conversation, { attachments: [file('const port = 8443;')] });
    assert.equal((await storedFiles()).length, 1);
    open.take(id, [open.views(id)[0]!.id]);
    assert.deepEqual([await storedFiles(), attachments().views(id)], [[], []]);
  });

  it('are kept if another window attaches something to the same session or removes its own', async () => {
    const { id } = conversation.journal;
    const [left, right] = [attachments(), attachments()];
    await left.addAll(conversation, file('of both'));
    for (const one of [left, right]) one.views(id);
    await left.addAll(conversation, file('of the left one'), image);
    await right.addAll(conversation, file('of the right one'));
    right.remove(right.views(id)[1]!.id);
    const { attachments: texts, images } = attachments().contents(id);
    assert.deepEqual([texts.map(({ text }) => text), images], [['of both', 'of the left one'], [png]]);
  });

  it('keep their order and every character', () => {
    const session = sessionId('s1');
    const texts = ['{"a": 1}\n\r\n', 'a lone \ud800 surrogate', '', 'ünï→😀'];
    const all = texts.map((text, at) => ({ id: `a${9 - at}`, tokens: 1, item: file(text) }));
    stored().write(session, all);
    assert.deepEqual(stored().read(session), all);
    const window = stored();
    const [first, ...rest] = window.read(session);
    const later = [...rest, { ...first!, id: 'a0' }];
    window.write(session, later);
    assert.deepEqual(stored().read(session), later);
  });

  it('are written once, not with each change', async () => {
    const { id } = conversation.journal;
    const open = attachments();
    await open.addAll(conversation, image);
    const [name] = await storedFiles();
    const { ino } = await stat(path.join(harness.folder, name!));
    await open.addAll(conversation, file('const port = 8443;'));
    open.remove(open.views(id)[1]!.id);
    assert.deepEqual(await storedFiles(), [name]);
    assert.equal((await stat(path.join(harness.folder, name!))).ino, ino);
  });

  it('are counted in steps, so that the window stays responsive', async () => {
    let steps = 0;
    const count = async (work: Promise<void>): Promise<number> => {
      steps = 0;
      await work;
      return steps;
    };
    const clock = {
      ...harness.clock,
      yielder: alwaysDue(() => {
        steps++;
      }),
    };
    const open = new Attachments({ clock } as never, {} as never, stored());
    const large = file('const port = 8443;\n'.repeat(5_000));
    const least = large.text.length / 10_000;
    assert.ok((await count(open.addAll(conversation, large))) > least, `${steps} steps`);
    assert.ok((await count(open.restore(conversation, { attachments: [large] }))) > least, `${steps} steps`);
  });

  it('are moved from the file in which a preview version stored all of them', async () => {
    const session = sessionId('s1');
    const old = ['a1', 'a2'].map((id) => ({ id, tokens: 1, item: file(id) }));
    const json = JSON.stringify({ attachments: old, isCut: true });
    await writeFile(path.join(harness.folder, 's1.attachments.json'), json);
    assert.deepEqual([stored().read(session), cuts], [old, 1]);
    assert.deepEqual((await storedFiles()).sort(), ['s1.attachment-a1', 's1.attachment-a2']);
    assert.deepEqual([stored().read(session), cuts], [old, 1]);
  });

  it('do not return after they were sent if moving them from that file has failed before', async () => {
    const session = sessionId('s1');
    const old = ['a1', 'a2'].map((id) => ({ id, tokens: 1, item: file(id) }));
    await writeFile(
      path.join(harness.folder, 's1.attachments.json'),
      JSON.stringify({ attachments: old, isCut: false }),
    );
    const blocked = path.join(harness.folder, 's1.attachment-a2');
    await mkdir(blocked);
    const deps = { folder: harness.folder, warn: () => undefined, reportCut: () => cuts++ };
    const window = new StoredAttachments({ ...deps, reportFailure: () => undefined });
    assert.deepEqual(window.read(session), old);
    await rmdir(blocked);
    window.write(session, []);
    assert.deepEqual([stored().read(session), await storedFiles()], [[], []]);
  });

  it('are reported once if they cannot be written, and written before the window closes if possible then', async () => {
    const session = sessionId('s1');
    const folder = path.join(harness.folder, 'missing');
    const reports: string[] = [];
    const window = new StoredAttachments({
      folder,
      warn: () => reports.push('logged'),
      reportCut: () => undefined,
      reportFailure: () => reports.push('shown'),
    });
    const attached = { id: 'a1', tokens: 1, item: file('const port = 8443;') };
    const erased = sessionId('s2');
    for (const one of [session, session, erased]) window.write(one, [attached]);
    window.forget(erased);
    assert.deepEqual(reports, ['logged', 'shown', 'logged', 'logged', 'shown']);
    await mkdir(folder);
    window.retry();
    assert.deepEqual(await readdir(folder), ['s1.attachment-a1']);
    window.write(session, []);
    window.retry();
    assert.deepEqual(await readdir(folder), []);
  });

  it('are stored if a sent one cannot be removed, which is logged and tried again', async () => {
    const session = sessionId('s1');
    const log: string[] = [];
    const deps = { folder: harness.folder, reportCut: () => cuts++, reportFailure };
    const window = new StoredAttachments({ ...deps, warn: (text) => log.push(text) });
    const [sent, next] = ['a1', 'a2'].map((id) => ({ id, tokens: 1, item: file(id) })) as [never, never];
    window.write(session, [sent]);
    // Can't be removed, as on Windows while another program has it open.
    const blocked = path.join(harness.folder, 's1.attachment-a1');
    await rm(blocked);
    await mkdir(blocked);
    window.write(session, [next]);
    assert.deepEqual((await storedFiles()).sort(), ['s1.attachment-a1', 's1.attachment-a2']);
    assert.match(log.join(), /^A session’s attachments could not be removed: [^,]+$/);
    await rmdir(blocked);
    await writeFile(blocked, '');
    window.retry();
    assert.deepEqual(await storedFiles(), ['s1.attachment-a2']);
  });

  it('are stored on Windows although another program has their new file open for a moment', async () => {
    const session = sessionId('s1');
    const attached = { id: 'a1', tokens: 1, item: file('const port = 8443;') };
    await refusingRenames('win32', 'EPERM', 2, () => stored().write(session, [attached]));
    assert.deepEqual(stored().read(session), [attached]);
  });

  it('are reported instead of restored if a power failure has cut off their end or left zeros', async () => {
    const session = sessionId('s1');
    const [bad, whole] = ['a1', 'a2'].map((id) => ({ id, tokens: 1, item: file('ï'.repeat(9_000)) })) as [never, never];
    const damaged = path.join(harness.folder, 's1.attachment-a1');
    const damages = [
      () => truncate(damaged, 4096),
      () => truncate(damaged, 0),
      async () => writeFile(damaged, (await readFile(damaged)).fill(0)),
      async () => writeFile(damaged, (await readFile(damaged)).fill(0, 4096)),
    ];
    for (const damage of damages) {
      cuts = 0;
      stored().write(session, [bad, whole]);
      await damage();
      assert.deepEqual([stored().read(session), cuts], [[whole], 1]);
      assert.deepEqual([stored().read(session), cuts], [[whole], 1]);
    }
  });

  it('are reported once if they were too large to be stored', () => {
    const session = sessionId('s1');
    const large = { id: 'large', tokens: 1, item: file('x'.repeat(6_000_001)) };
    const small = { id: 'small', tokens: 1, item: file('const port = 8443;') };
    stored().write(session, [large, small]);
    assert.deepEqual([stored().read(session), cuts], [[small], 1]);
    assert.deepEqual([stored().read(session), cuts], [[small], 1]);
  });
});
