/** An expected error, which is printed without a stack trace. */
export class ExpectedError extends Error {}

/** Runs a command; a failure is shown and sets the exit code to 1. */
export async function runMain(body: () => Promise<void>): Promise<void> {
  try {
    await body();
  } catch (error) {
    console.error(error instanceof ExpectedError ? error.message : error);
    process.exitCode = 1;
  }
}
