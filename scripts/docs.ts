// Generates docs/settings.md from the manifest, and THIRD-PARTY-NOTICES.md from the bundled packages.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { renderSettings, SETTINGS_REFERENCE } from './docs/settings-reference.ts';
import { bundledPackages } from './licenses/bundled-packages.ts';
import { NOTICES, renderNotices } from './licenses/check-licenses.ts';
import { root } from './support/paths.ts';
import { runMain } from './support/expected-error.ts';

await runMain(async () => {
  await writeFile(path.join(root, SETTINGS_REFERENCE), await renderSettings());
  await writeFile(path.join(root, NOTICES), renderNotices(await bundledPackages()));
  console.log(`Wrote ${SETTINGS_REFERENCE} and ${NOTICES}.`);
});
