/** Side of the squares into which images are cut, in pixels: the smallest of all vendors, thus the most tokens. */
const PATCH = 28;
/** OpenAI's maximum since GPT-5.6. Anthropic and older models scale larger images down. */
const MAX_IMAGE_TOKENS = 10_000;
/** Assumed if the size can't be read: the tokens of about a megapixel. */
const UNKNOWN_IMAGE_TOKENS = 1_600;

/**
 * Estimates the tokens of an image, too high rather than too low, because a request that is too large is rejected.
 * Calibration corrects the estimate. Sources: platform.claude.com/docs/en/build-with-claude/vision (squares of 28 px,
 * about width × height / 750), developers.openai.com/api/docs/guides/images-vision (squares of 32 px, 10,000 at the
 * original size).
 */
export function imageTokens(base64: string): number {
  const { width = 0, height = 0 } = imageSize(base64) ?? {};
  if (width === 0 || height === 0) return UNKNOWN_IMAGE_TOKENS;
  return Math.min(MAX_IMAGE_TOKENS, Math.ceil(width / PATCH) * Math.ceil(height / PATCH));
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** Maximum number of JPEG segments that are searched for the size; photographs have fewer before it. */
const MAX_SEGMENTS = 256;

/** Width and height of a PNG, JPEG, GIF, or WebP in pixels; undefined for other formats. Only reads the header. */
function imageSize(base64: string): { readonly width: number; readonly height: number } | undefined {
  const littleEndian = (at: number, bytes: number): number =>
    bytes === 0 ? 0 : byteAt(base64, at) + 256 * littleEndian(at + 1, bytes - 1);
  const bigEndian = (at: number, bytes = 2): number =>
    bytes === 0 ? 0 : bigEndian(at, bytes - 1) * 256 + byteAt(base64, at + bytes - 1);
  const hasTextAt = (at: number, text: string): boolean =>
    Array.from(text).every((char, index) => byteAt(base64, at + index) === char.charCodeAt(0));
  if (hasTextAt(1, 'PNG')) return { width: bigEndian(16, 4), height: bigEndian(20, 4) };
  if (hasTextAt(0, 'GIF8')) return { width: littleEndian(6, 2), height: littleEndian(8, 2) };
  if (hasTextAt(8, 'WEBPVP8X')) return { width: littleEndian(24, 3) + 1, height: littleEndian(27, 3) + 1 };
  if (hasTextAt(8, 'WEBPVP8L')) {
    const bits = littleEndian(21, 4);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (hasTextAt(8, 'WEBPVP8 ')) return { width: littleEndian(26, 2) & 0x3fff, height: littleEndian(28, 2) & 0x3fff };
  if (bigEndian(0) !== 0xffd8) return undefined;
  let at = 2;
  for (let segment = 0; segment < MAX_SEGMENTS && byteAt(base64, at) === 0xff; segment++) {
    const marker = byteAt(base64, at + 1);
    // Frame headers contain the size. Three other markers are in the same range.
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { width: bigEndian(at + 7), height: bigEndian(at + 5) };
    at += 2 + bigEndian(at + 2);
  }
  return undefined;
}

function byteAt(base64: string, index: number): number {
  const group = Math.floor(index / 3) * 4;
  let bits = 0;
  for (let at = group; at < group + 4; at++) bits = bits * 64 + Math.max(0, ALPHABET.indexOf(base64[at] ?? 'A'));
  return (bits >>> (8 * (2 - (index % 3)))) & 0xff;
}
