/** An error whose message says everything, so that it's printed without a stack trace. */
export class ExpectedError extends Error {}

/** Runs a script's main function. If it fails, prints the error and sets the exit code to 1. */
export async function runMain(body: () => Promise<void>): Promise<void> {
  try {
    await body();
  } catch (error) {
    console.error(error instanceof ExpectedError ? error.message : error);
    process.exitCode = 1;
  }
}
