/** The parts of an address; `path` has no trailing slash. Undefined if it isn't an HTTP address. */
export function parseBaseUrl(
  baseUrl: string,
): { readonly origin: string; readonly path: string; readonly query: Record<string, string> } | undefined {
  const address = baseUrl.trim();
  // Not `URL.parse`, which Node.js 20 (supported by the command line) doesn't have.
  const parsed = URL.canParse(address) ? new URL(address) : undefined;
  if (!parsed || !/^https?:$/.test(parsed.protocol)) return undefined;
  return {
    origin: parsed.origin,
    path: parsed.pathname.replace(/\/+$/, ''),
    query: Object.fromEntries(parsed.searchParams),
  };
}
