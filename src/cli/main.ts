import { runCommandLine } from './command-line.ts';
import { Output } from './output.ts';

// If the reader closes the pipe, as `head` does, end silently.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`threadkeeper: Couldn’t write the output: ${error.message}.\n`, () => process.exit(2));
});
process.stderr.on('error', () => undefined);

const output = new Output();
const code = await runCommandLine(process.argv.slice(2), output, process.env);
await output.flush();
process.exit(code);
