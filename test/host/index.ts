// Called by the extension host: runs all tests in this folder.
import { appendFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { format } from 'node:util';
import Mocha from 'mocha';

/** Commands and providers are real and take time, especially on a busy machine. */
const TEST_LIMIT_MS = 240_000;

/** Runs the suite. Rejects if a test fails, which sets the editor's exit code. */
export async function run(): Promise<void> {
  const output = process.env.SUITE_OUTPUT_FILE;
  const reporter = process.env.SUITE_REPORTER;
  // Output goes to the window's console, which nobody sees, so it's copied to a file that is shown in the terminal.
  if (output !== undefined)
    Mocha.reporters.Base.consoleLog = (...line: unknown[]) => appendFileSync(output, `${format(...line)}\n`);
  const mocha = new Mocha({
    ui: 'bdd',
    color: false,
    timeout: TEST_LIMIT_MS,
    forbidOnly: process.env.CI !== undefined,
    ...(reporter === undefined ? {} : { reporter }),
    ...(process.env.SUITE_GREP === undefined ? {} : { grep: process.env.SUITE_GREP }),
  });
  for (const name of readdirSync(__dirname)) {
    if (name.endsWith('.test.cjs')) mocha.addFile(path.join(__dirname, name));
  }
  const failures = await new Promise<number>((resolve) => mocha.run(resolve));
  if (failures > 0) throw new Error(`${failures} tests failed.`);
}
