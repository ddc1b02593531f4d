/** Decodes a part of a URI. A part with invalid escapes is returned as it is, because some tools don't encode it. */
export function decodedUri(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
