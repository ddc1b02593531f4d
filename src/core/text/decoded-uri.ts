/** Decodes a part of a URI. Returns it unchanged if it isn't encoded, because a percent sign may be literal. */
export function decodedUri(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
