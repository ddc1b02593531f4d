import { describeFault } from '../app/fault-text.ts';
import { ModelFault } from '../app/fault.ts';
import { inEnglish } from '../core/text/phrase.ts';

/** One line for the user: what went wrong, whatever was thrown. */
export function explain(error: unknown): string {
  if (ModelFault.is(error)) return inEnglish(describeFault(error).message);
  const message = error instanceof Error ? error.message : String(error);
  const isOfParser = error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_');
  // The parser's own advice goes on for lines; its first sentence says what is wrong.
  return (isOfParser ? message.replace(/\. .*$/s, '.') : message)
    .split('\n')
    .map((line) => line.trim())
    .join(' ');
}
