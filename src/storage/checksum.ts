import { crc32 } from 'node:zlib';

/** CRC-32 of the text's UTF-8 bytes (or of the bytes) as eight hex digits: the journal's checksum, computed natively. */
export function nativeChecksum(data: string | Uint8Array): string {
  return crc32(data).toString(16).padStart(8, '0');
}
