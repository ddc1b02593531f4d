import { crc32 } from 'node:zlib';

/** CRC-32 of a text's UTF-8 bytes (or of bytes) as eight hex digits, computed natively. */
export function nativeChecksum(data: string | Uint8Array): string {
  return crc32(data).toString(16).padStart(8, '0');
}
