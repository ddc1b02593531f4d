// Writes l10n/bundle.l10n.json from the sources, and lists missing, unused, and damaged translations in all languages.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { root } from './support/paths.ts';
import { ExpectedError, runMain } from './support/expected-error.ts';
import { BUNDLE, checkAllTexts } from './texts/all-texts.ts';

await runMain(async () => {
  const { bundle } = await checkAllTexts();
  await writeFile(path.join(root, BUNDLE), bundle);
  const { faults } = await checkAllTexts();
  if (faults.length > 0) throw new ExpectedError(faults.join('\n'));
  console.log('All texts are translated into all languages.');
});
