import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { MachineChats } from '../../../src/mcp/machine-chats.ts';
import { claudeMessage, jsonl, putFile } from '../../support/tool-homes/conversation.ts';
import { folderForEachTest } from '../../support/per-test.ts';

const userRecord = (content: string): string => jsonl(claudeMessage('user', content));

describe('chats of a machine', () => {
  let place = '';
  let warnings: string[] = [];
  const opened: MachineChats[] = [];

  const open = (): MachineChats => {
    const chats = new MachineChats({
      home: { folder: path.join(place, 'home'), env: {} },
      folder: { path: path.join(place, 'index'), isTemporary: false },
      warn: (message) => warnings.push(message),
    });
    opened.push(chats);
    return chats;
  };
  const texts = async (chats: MachineChats, text: string): Promise<string[]> =>
    (await chats.search({ text, limit: 10 })).map((hit) => hit.text);

  folderForEachTest((made) => (place = made));
  beforeEach(() => {
    putFile(place, 'index/empty', '');
    warnings = [];
  });
  afterEach(async () => {
    for (const chats of opened.splice(0)) await chats.close();
  });

  it('include messages that a tool adds, although they aren’t read again at once', async () => {
    const file = putFile(place, 'home/.claude/projects/p/s.jsonl', userRecord('The ferry leaves at ten.'));
    const chats = open();
    assert.equal(await chats.refresh(60_000), true);
    appendFileSync(file, userRecord('The ferry is late.'));
    assert.equal(await chats.refresh(60_000), true);
    assert.deepEqual(await texts(chats, 'ferry'), ['The ferry leaves at ten.']);
    const now = performance.now.bind(performance);
    performance.now = () => now() + 200_000;
    try {
      assert.equal(await chats.refresh(60_000), true);
    } finally {
      performance.now = now;
    }
    assert.deepEqual((await texts(chats, 'ferry')).toSorted(), ['The ferry is late.', 'The ferry leaves at ten.']);
    assert.deepEqual(warnings, []);
  });

  it('aren’t read again for a while if reading them took long', async () => {
    const file = putFile(place, 'home/.claude/projects/p/s.jsonl', userRecord('The ferry leaves at ten.'));
    const chats = open();
    const now = performance.now.bind(performance);
    let offset = 0;
    try {
      performance.now = () => now() + (offset += 10_000);
      assert.equal(await chats.refresh(60_000), true);
      const readAt = offset;
      appendFileSync(file, userRecord('The ferry is late.'));
      performance.now = () => now() + readAt + 60_000;
      assert.equal(await chats.refresh(60_000), true);
      assert.equal((await texts(chats, 'ferry')).length, 1);
      performance.now = () => now() + readAt + 200_000;
      assert.equal(await chats.refresh(60_000), true);
      assert.equal((await texts(chats, 'ferry')).length, 2);
    } finally {
      performance.now = now;
    }
  });

  it('can be searched while they are read for the first time', async () => {
    for (let index = 0; index < 60; index++)
      putFile(place, `home/.claude/projects/p/${index}.jsonl`, userRecord(`Ferry ${index} leaves.`).repeat(20));
    const chats = open();
    assert.equal(await chats.refresh(0), false);
    while (chats.list().length === 0) await chats.refresh(1);
    const { done = 0, total } = chats.progress ?? {};
    assert.equal(total, 60);
    assert.ok(done < 60 && (await texts(chats, 'ferry')).length > 0);
    assert.equal(await chats.refresh(60_000), true);
    assert.deepEqual([chats.list().length, chats.progress], [60, undefined]);
  });

  it('are read by one server at a time, and by the next one when that one ends', async () => {
    for (let index = 0; index < 60; index++)
      putFile(place, `home/.claude/projects/p/${index}.jsonl`, userRecord(`Ferry ${index} leaves.`).repeat(20));
    const [first, second] = [open(), open()];
    assert.equal(await first.refresh(0), false);
    while (!first.progress) await first.refresh(1);
    const waiting = second.refresh(60_000);
    await first.close();
    assert.ok(first.list().length < 60);
    assert.equal(await waiting, true);
    assert.equal(second.list().length, 60);
    assert.deepEqual(warnings, []);
  });
});
