/**
 * Side of the squares that an image is cut into, in pixels. The smallest of all vendors, which gives the most tokens.
 */
const PATCH = 28;
/** OpenAI's maximum since GPT-5.6. Anthropic and older models scale larger images down. */
const MAX_IMAGE_TOKENS = 10_000;
/** If the size can't be read: about a megapixel. */
const UNKNOWN_IMAGE_TOKENS = 1_600;

/**
 * Estimates the tokens of an image, rather too high than too low, because a request that is too large is rejected.
 * Usage reports correct it. Sources: platform.claude.com/docs/en/build-with-claude/vision (squares of 28 px, about
 * width × height / 750), developers.openai.com/api/docs/guides/images-vision (squares of 32 px, 10,000 at the original
 * size).
 */
export function imageTokens(base64: string): number {
  const { width = 0, height = 0 } = imageSize(base64) ?? {};
  if (width === 0 || height === 0) return UNKNOWN_IMAGE_TOKENS;
  return Math.min(MAX_IMAGE_TOKENS, Math.ceil(width / PATCH) * Math.ceil(height / PATCH));
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** A JPEG states its size before its pixels; a photograph has fewer segments before that. */
const MAX_PARTS = 256;

/** Width and height of a PNG, JPEG, GIF, or WebP in pixels; undefined for other formats. Only reads the header. */
function imageSize(base64: string): { readonly width: number; readonly height: number } | undefined {
  const little = (at: number, bytes: number): number =>
    bytes === 0 ? 0 : byteAt(base64, at) + 256 * little(at + 1, bytes - 1);
  const big = (at: number, bytes = 2): number =>
    bytes === 0 ? 0 : big(at, bytes - 1) * 256 + byteAt(base64, at + bytes - 1);
  const says = (at: number, text: string): boolean =>
    Array.from(text).every((char, index) => byteAt(base64, at + index) === char.charCodeAt(0));
  if (says(1, 'PNG')) return { width: big(16, 4), height: big(20, 4) };
  if (says(0, 'GIF8')) return { width: little(6, 2), height: little(8, 2) };
  if (says(8, 'WEBPVP8X')) return { width: little(24, 3) + 1, height: little(27, 3) + 1 };
  if (says(8, 'WEBPVP8L')) {
    const bits = little(21, 4);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (says(8, 'WEBPVP8 ')) return { width: little(26, 2) & 0x3fff, height: little(28, 2) & 0x3fff };
  if (big(0) !== 0xffd8) return undefined;
  let at = 2;
  for (let part = 0; part < MAX_PARTS && byteAt(base64, at) === 0xff; part++) {
    const kind = byteAt(base64, at + 1);
    // Frame headers, except for three tables within the range.
    const isFrame = kind >= 0xc0 && kind <= 0xcf && kind !== 0xc4 && kind !== 0xc8 && kind !== 0xcc;
    if (isFrame) return { width: big(at + 7), height: big(at + 5) };
    at += 2 + big(at + 2);
  }
  return undefined;
}

function byteAt(base64: string, index: number): number {
  const group = Math.floor(index / 3) * 4;
  let bits = 0;
  for (let at = group; at < group + 4; at++) bits = bits * 64 + Math.max(0, ALPHABET.indexOf(base64[at] ?? 'A'));
  return (bits >>> (8 * (2 - (index % 3)))) & 0xff;
}
