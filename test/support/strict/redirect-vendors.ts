import { StrictServer, type Flavour, type StrictOptions } from './strict-server.ts';

/** The vendors' addresses that the product knows. */
const VENDORS = /^https:\/\/(?:(?:\w+\.)?api\.openai\.com|api\.anthropic\.com|openrouter\.ai)(?=\/)/;

/** Redirects requests to the vendors' own addresses to the server while `work` runs. */
export async function withVendorsRedirected<T>(server: StrictServer, work: () => Promise<T>): Promise<T> {
  const real = globalThis.fetch;
  globalThis.fetch = (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    return real(url.replace(VENDORS, server.url), init);
  };
  try {
    return await work();
  } finally {
    globalThis.fetch = real;
  }
}

/** Runs `work` with a server like the service, to which requests to the vendors' own addresses are redirected. */
export async function onStrictServer<T>(
  flavour: Flavour,
  options: StrictOptions,
  work: (server: StrictServer) => Promise<T>,
): Promise<T> {
  await using server = await StrictServer.start(flavour, options);
  return await withVendorsRedirected(server, () => work(server));
}
