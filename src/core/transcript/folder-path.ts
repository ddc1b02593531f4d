import { stringOf } from './json-value.ts';

/** A folder that is written as an address or as a path. */
export function folderPath(value: unknown): string | undefined {
  const text = stringOf(value);
  if (text === undefined || text === '') return undefined;
  const [, address] = /^(?:file|vscode-remote):\/\/[^/]*(\/.*)$/s.exec(text) ?? [];
  if (address === undefined) return text;
  const path = decoded(address);
  return /^\/[a-z]:/i.test(path) ? path.slice(1).replaceAll('/', '\\') : path;
}

/** Not every tool encodes what it writes, so a percent sign may stand for itself. */
function decoded(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch (error) {
    if (error instanceof URIError) return address;
    throw error;
  }
}
