import type { StrictServer } from './strict-server.ts';

/** Addresses of vendors, as the product knows them. */
const VENDORS = /^https:\/\/(?:(?:\w+\.)?api\.openai\.com|api\.anthropic\.com|openrouter\.ai)(?=\/)/;

/** While `work` runs, requests to the vendors' own addresses go to the server, so that the product takes it for theirs. */
export async function asVendor<T>(server: StrictServer, work: () => Promise<T>): Promise<T> {
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
