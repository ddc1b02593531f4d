// Makes the types in dist/types self-contained: copies valibot's types next to them and imports those by path.
import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { inNodeModules, root } from './support/paths.ts';
import { runMain } from './support/expected-error.ts';

await runMain(async () => {
  const folder = path.join(root, 'dist/types');
  for (const name of await readdir(folder, { recursive: true })) {
    if (!name.endsWith('.d.ts')) continue;
    const file = path.join(folder, name);
    const toRoot = '../'.repeat(name.split(path.sep).length - 1);
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replaceAll(" from 'valibot';", ` from './${toRoot}valibot.js';`));
  }
  await copyFile(inNodeModules('valibot/dist/index.d.mts'), path.join(folder, 'valibot.d.ts'));
});
