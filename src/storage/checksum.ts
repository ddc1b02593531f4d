import { crc32 } from 'node:zlib';

/** CRC-32 of a text's UTF-8 bytes (or of bytes) as eight hex digits, computed natively. */
export const nativeChecksum = (data: string | Uint8Array): string => crc32(data).toString(16).padStart(8, '0');
