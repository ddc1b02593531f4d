import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const folder = join(process.env['THREADKEEPER_DATA'] ?? resolve('..', 'shared', 'data'), 'dev');

/** The texts of each shared transcript by file name; undefined if there are none. */
export function sharedTranscripts(): ReadonlyMap<string, readonly string[]> | undefined {
  if (!existsSync(folder)) return undefined;
  const files = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
  return new Map(files.map((name) => [name, contents(join(folder, name))]));
}

function contents(path: string): readonly string[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => String(JSON.parse(line).content));
}
