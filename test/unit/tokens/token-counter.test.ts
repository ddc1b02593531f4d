import assert from 'node:assert/strict';
import { messageId } from '../../../src/core/model/ids.ts';
import { NEVER_YIELDS } from '../../../src/core/pace/yielder.ts';
import { imageTokens } from '../../../src/core/tokens/image-size.ts';
import { renderAttachment } from '../../../src/core/text/render-attachment.ts';
import { MessageCounts } from '../../../src/core/tokens/message-counts.ts';
import {
  loadEncoding,
  MESSAGE_FRAMING_TOKENS,
  TOOL_FRAMING_TOKENS,
  tokenCounter,
} from '../../../src/core/tokens/token-counter.ts';
import { sessionMessage } from '../../support/session-messages.ts';

const byWords = (text: string): number => text.split(/\s+/).filter(Boolean).length;

describe('token counter', () => {
  it('loads a vocabulary once, on demand', async () => {
    const [first, again, other] = [loadEncoding('o200k_base'), loadEncoding('o200k_base'), loadEncoding('cl100k_base')];
    assert.equal(first, again);
    assert.equal((await first).encoding, 'o200k_base');
    assert.equal((await first).text('hello world'), 2);
    assert.equal((await other).encoding, 'cl100k_base');
  });

  it('adds a message’s framing and counts each of its blocks', () => {
    const counter = tokenCounter('words', byWords);
    assert.equal(counter.message(sessionMessage('m', 'two words')), MESSAGE_FRAMING_TOKENS + 2);
    const blocks = sessionMessage('m', '', {
      content: [
        { type: 'text', text: 'one' },
        { type: 'tool_call', callId: 'c', name: 'read_file', json: '{"path": "a"}' },
        { type: 'tool_result', callId: 'c', text: 'three more words', isError: false },
        { type: 'image', mediaType: 'image/png', base64: 'AAAA' },
      ],
    });
    const expected = MESSAGE_FRAMING_TOKENS + 1 + (TOOL_FRAMING_TOKENS + 3) + (TOOL_FRAMING_TOKENS + 3) + 1_600;
    assert.equal(counter.message(blocks), expected);
  });
});

describe('image token count', () => {
  const bytes = (...parts: readonly (string | number | readonly number[])[]): Buffer =>
    Buffer.concat(
      parts.map((part) => (typeof part === 'number' ? Buffer.alloc(part) : Buffer.from(part as string, 'latin1'))),
    );
  const le = (value: number, size: number): Buffer => {
    const buffer = Buffer.alloc(size);
    buffer.writeUIntLE(value, 0, size);
    return buffer;
  };
  const u16 = (value: number): number[] => [value >> 8, value & 255];
  const frame = (kind: number): number[] => [0xff, kind, 0, 17, 8, ...u16(840), ...u16(1400)];
  const forms: Readonly<Record<string, Buffer>> = {
    PNG: bytes('\x89PNG\r\n\x1a\n', 4, 'IHDR', [0, 0, ...u16(1400), 0, 0, ...u16(840)], 9),
    JPEG: bytes([0xff, 0xd8, 0xff, 0xe1, ...u16(40_002)], 40_000, [0xff, 0xc4, 0, 4, 1, 2], frame(0xc2), 20),
    GIF: Buffer.concat([bytes('GIF89a'), le(1400, 2), le(840, 2), bytes(4)]),
    'WebP, extended': Buffer.concat([bytes('RIFF', 4, 'WEBPVP8X', 8), le(1399, 3), le(839, 3)]),
    'WebP, lossless': Buffer.concat([bytes('RIFF', 4, 'WEBPVP8L', 5), le(1399 | (839 << 14), 4), bytes(4)]),
    'WebP, lossy': Buffer.concat([bytes('RIFF', 4, 'WEBPVP8 ', 10), le(1400, 2), le(840, 2), bytes(4)]),
  };
  for (const [name, file] of Object.entries(forms))
    it(`depends on the image’s pixel dimensions: ${name}`, () =>
      assert.equal(imageTokens(file.toString('base64')), 50 * 30));

  it('is capped at the vendor maximum, and is a default value for unreadable images', () => {
    assert.equal(imageTokens(bytes('\x89PNG', 12, [0, 0, 255, 255, 0, 0, 255, 255]).toString('base64')), 10_000);
    const endless = Buffer.alloc(300_000, Buffer.from([0xff, 0xe0, 0, 2])).fill(0xd8, 1, 2);
    for (const odd of [bytes('BM'), bytes('\x89PNG', 40), endless, Buffer.alloc(0)])
      assert.equal(imageTokens(odd.toString('base64')), 1_600);
  });
});

describe('message counts of a session', () => {
  const attachment = { kind: 'file', name: 'a.ts', text: 'four words of code' } as const;

  it('are computed once per message, with attachments counted separately as they are sent', () => {
    let calls = 0;
    const counter = tokenCounter('words', (text) => (calls++, byWords(text)));
    const counts = new MessageCounts(counter);
    const asked = sessionMessage('m1', 'what is 这个', { attachments: [attachment] });
    const body = MESSAGE_FRAMING_TOKENS + 3;
    const attachments = byWords(renderAttachment(attachment));
    assert.deepEqual(counts.of(asked), { body, attachments });
    const before = calls;
    assert.equal(counts.total(asked), body + attachments);
    assert.equal(calls, before);
  });

  it('are restored after a reload without recounting', () => {
    const counts = new MessageCounts(tokenCounter('words', byWords));
    const messages = [
      sessionMessage('m1', 'plain'),
      sessionMessage('m2', 'with a file', { attachments: [attachment] }),
      sessionMessage('m3', '検索'),
    ];
    const first = messages.map((one) => counts.of(one));
    const ids = messages.map(({ id }) => id);
    const never = tokenCounter('words', () => assert.fail('counted again'));
    const restored = new MessageCounts(never);
    restored.import(counts.export(ids), ids);
    assert.deepEqual(
      messages.map((one) => restored.of(one)),
      first,
    );
  });

  it('are not restored from another encoding', () => {
    const counts = new MessageCounts(tokenCounter('words', byWords));
    counts.of(sessionMessage('m1', 'a b c'));
    const other = new MessageCounts(tokenCounter('letters', (text) => text.length));
    other.import(counts.export([messageId('m1')]), [messageId('m1')]);
    assert.equal(other.of(sessionMessage('m1', 'a b c')).body, MESSAGE_FRAMING_TOKENS + 5);
  });

  it('are computed after a restore for newer messages and for those not counted when stored', async () => {
    const counts = new MessageCounts(tokenCounter('words', byWords));
    const messages = ['one', 'two words', 'and three words'].map((text, at) => sessionMessage(`m${at}`, text));
    const ids = messages.map(({ id }) => id);
    counts.of(messages[1]!);
    const kept = counts.export(ids.slice(0, 2));
    const asked: string[] = [];
    const restored = new MessageCounts(tokenCounter('words', (text) => (asked.push(text), byWords(text))));
    const byId = new Map(messages.map((one) => [one.id, one]));
    restored.import(kept, ids);
    assert.equal(await restored.warm(byId, NEVER_YIELDS), 2);
    assert.deepEqual(asked, ['one', 'and three words']);
    const known = ids.map((id) => restored.known(id));
    const expected = [1, 2, 3].map((words) => MESSAGE_FRAMING_TOKENS + words);
    assert.deepEqual(known, expected);
    restored.forget(ids[1]!);
    assert.equal(restored.known(ids[1]!), undefined);
  });
});
