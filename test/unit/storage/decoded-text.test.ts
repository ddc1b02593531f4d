import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { decodedText } from '../../../src/storage/decoded-text.ts';

describe('the text of a file', () => {
  const text = 'Where is the port? 端口在哪里 🚢';
  const utf16 = Buffer.from(`\uFEFF${text}`, 'utf16le');
  const encoded = {
    'UTF-8': Buffer.from(text),
    'UTF-8 with a byte order mark': Buffer.from(`\uFEFF${text}`),
    'UTF-16, little-endian': utf16,
    'UTF-16, big-endian': Buffer.from(utf16).swap16(),
  };
  const decode = async (bytes: Buffer, size: number): Promise<string> => {
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.subarray(at * size, (at + 1) * size),
    );
    let decoded = '';
    for await (const part of decodedText(Readable.from(pieces))) decoded += part;
    return decoded;
  };

  for (const [name, bytes] of Object.entries(encoded))
    it(`is decoded in pieces of any size: ${name}`, async () => {
      for (const size of [1, 2, 3, 1000]) assert.equal(await decode(bytes, size), text);
    });

  it('may have only a few bytes', async () => {
    for (const short of ['', 'a', 'ab']) assert.equal(await decode(Buffer.from(short), 1), short);
  });
});
