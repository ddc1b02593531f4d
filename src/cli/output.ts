import { describeFault } from '../app/fault-text.ts';
import { ModelFault } from '../app/fault.ts';
import { inEnglish } from '../core/text/phrase.ts';

/** A command's output. Writing to a pipe waits until there is room. */
export interface Output {
  write(text: string): Promise<void>;
  /** Writes the JSON object of `--json` and a newline. */
  json(value: unknown): Promise<void>;
  /** Writes a line to standard error, if anything reads it. */
  note(line: string): Promise<void>;
  /** Resolves when all output was passed to the operating system. */
  flush(): Promise<void>;
}

/** UTF-16 units written at once, so that strings of hundreds of megabytes aren't copied as a whole. */
const SLICE_UNITS = 1 << 20;

export function streamOutput(out: NodeJS.WritableStream, err: NodeJS.WritableStream): Output {
  const write = async (text: string): Promise<void> => {
    for (let at = 0; at < text.length;) {
      const end = sliceEnd(text, at);
      await writeTo(out, text.slice(at, end));
      at = end;
    }
  };
  // Notes don't change the result or the exit code, even if they can't be written.
  const note = (text: string): Promise<void> => writeTo(err, text).catch(() => undefined);
  return {
    write,
    json: async (value) => write(`${JSON.stringify(value)}\n`),
    note: (line) => note(`${line}\n`),
    flush: async () => {
      await writeTo(out, '');
      await note('');
    },
  };
}

/** The end of the slice at `at`. Never splits a surrogate pair, whose halves would become replacement characters. */
function sliceEnd(text: string, at: number): number {
  const end = Math.min(text.length, at + SLICE_UNITS);
  const last = text.charCodeAt(end - 1);
  return end < text.length && last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}

function writeTo(stream: NodeJS.WritableStream, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error?: Error | null) => {
      if (error) reject(error);
      else resolve();
    });
  });
}

/** An error as one line for the user. */
export function errorLine(error: unknown): string {
  if (ModelFault.is(error)) return inEnglish(describeFault(error).message);
  const message = error instanceof Error ? error.message : String(error);
  const isParseArgsError =
    error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_');
  // Only the first sentence of these messages says what is wrong.
  return (isParseArgsError ? message.replace(/\. .*$/s, '.') : message)
    .split('\n')
    .map((line) => line.trim())
    .join(' ');
}
