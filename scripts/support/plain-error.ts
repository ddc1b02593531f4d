/** A failure that one sentence explains in full: it is shown without a stack. */
export class PlainError extends Error {}

/** Runs a command's body; a failure is shown and makes the exit code 1. */
export async function runMain(body: () => Promise<void>): Promise<void> {
  try {
    await body();
  } catch (error) {
    console.error(error instanceof PlainError ? error.message : error);
    process.exitCode = 1;
  }
}
