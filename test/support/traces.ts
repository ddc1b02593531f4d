import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';

/** Every file in a folder with its size, time, and permissions. */
export const traces = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => {
      const { size, mtimeMs, mode } = statSync(path.join(folder, name));
      return `${name} ${size} ${mtimeMs} ${mode}`;
    })
    .sort();
