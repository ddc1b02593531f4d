import type { Extraction } from '../app/compressed-messages.ts';
import { describeFault } from '../app/fault-text.ts';
import { ModelFault, type FaultReason } from '../app/fault.ts';
import { errorCode, errorMessage } from '../core/text/error-details.ts';
import { inEnglish } from '../core/text/phrase.ts';
import { truncate } from '../core/text/truncate.ts';

/** UTF-16 units written at once, so that strings of hundreds of megabytes aren't copied as a whole. */
const SLICE_UNITS = 1 << 20;

/** A command's output. Writing to a pipe waits until there is room. */
export class Output {
  async write(text: string): Promise<void> {
    for (let at = 0; at < text.length;) {
      const slice = text.slice(at, at + SLICE_UNITS);
      // Halves of a surrogate pair would become replacement characters.
      const whole = at + SLICE_UNITS < text.length ? truncate(slice, SLICE_UNITS) : slice;
      await writeTo(process.stdout, whole);
      at += whole.length;
    }
  }

  /** Writes a line to standard error. Doesn't change the result or the exit code, even if it can't be written. */
  note(line: string): Promise<void> {
    return writeTo(process.stderr, `${line}\n`).catch(() => undefined);
  }

  /** Resolves when all output was passed to the operating system. */
  async flush(): Promise<void> {
    await writeTo(process.stdout, '');
    await writeTo(process.stderr, '').catch(() => undefined);
  }
}

function writeTo(stream: NodeJS.WritableStream, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error?: Error | null) => (error ? reject(error) : resolve()));
  });
}

/** Why texts were extracted although a model was given, without a period. */
export const extractionReason = ({ isWindowTooSmall }: Pick<Extraction, 'isWindowTooSmall'>): string =>
  isWindowTooSmall
    ? 'The model’s context window is too small for the messages'
    : 'The model returned no usable response';

/** Messages for faults that are resolved in another way than in VS Code. */
const MESSAGES: Readonly<Partial<Record<FaultReason, string>>> = {
  no_key:
    'The server requires an API key. Set OPENAI_API_KEY for --provider openai, or ANTHROPIC_API_KEY for --provider anthropic.',
  refused_key:
    'The provider rejected the API key. Set OPENAI_API_KEY for --provider openai, or ANTHROPIC_API_KEY for --provider anthropic, to a valid key.',
  certificate:
    'Couldn’t verify the server’s certificate. Check that it’s valid for the base URL. If you trust its issuer, set NODE_EXTRA_CA_CERTS to a PEM file with the issuer’s certificate.',
  proxy_authentication:
    'The proxy requires authentication. Set HTTPS_PROXY, or HTTP_PROXY for an http base URL, to the proxy’s address with a user name and password: http://USER:PASSWORD@HOST:PORT.',
};

export function errorLine(error: unknown): string {
  if (ModelFault.is(error)) {
    const { message, details } = describeFault(error);
    return [MESSAGES[error.reason] ?? inEnglish(message), ...(details ? [inEnglish(details)] : [])].join(' ');
  }
  const message = errorMessage(error);
  const isParseArgsError = errorCode(error)?.startsWith('ERR_PARSE_ARGS_') === true;
  // Only the first sentence of these messages says what is wrong.
  return (isParseArgsError ? message.replace(/\. .*$/s, '.') : message)
    .split('\n')
    .map((line) => line.trim())
    .join(' ');
}
