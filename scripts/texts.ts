// Writes l10n/bundle.l10n.json from the sources, and lists what is missing, surplus or damaged in any language.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { root } from './support/paths.ts';
import { PlainError, runMain } from './support/plain-error.ts';
import { BUNDLE, judgeAllTexts } from './texts/all-texts.ts';

await runMain(async () => {
  const { bundle } = await judgeAllTexts();
  await writeFile(path.join(root, BUNDLE), bundle);
  const { faults } = await judgeAllTexts();
  if (faults.length > 0) throw new PlainError(faults.join('\n'));
  console.log(`Every text stands in every language.`);
});
