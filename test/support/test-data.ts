import { readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');

/** The folder with transcripts that aren't part of the repository. May be absent. */
export const SHARED_DATA = path.resolve(root, process.env['THREADKEEPER_DATA'] ?? '../shared/data');

/** A developer's session of 446 messages. */
export const DEMO_SESSION = path.join(root, 'test/fixtures/demo-workspace/sample-session.jsonl');

/** The records of a JSONL file. */
export const jsonLines = <T>(file: string | URL): T[] =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T);
