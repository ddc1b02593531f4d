/** Model servers that may run on this machine, and their default ports. */
const LOCAL_SERVERS = [
  ['Ollama', 11434],
  ['LM Studio', 1234],
] as const;

/** Model servers that may run on this machine. Tests override the ports with an environment variable. */
function localServers(): readonly { readonly title: string; readonly baseUrl: string }[] {
  const ports = process.env['THREADKEEPER_LOCAL_PORTS']?.split(',');
  return LOCAL_SERVERS.map(([title, port], index) => ({
    title: `${title} (127.0.0.1:${ports?.[index] ?? port})`,
    baseUrl: `http://127.0.0.1:${ports?.[index] ?? port}/v1`,
  }));
}

/** Whether two base URLs have the same host and port. `localhost` equals `127.0.0.1`. */
function isSameServer(a: string, b: string): boolean {
  const hostOf = (address: string): string | undefined =>
    URL.parse(address)?.host.replace('localhost', '127.0.0.1').replace('[::1]', '127.0.0.1');
  return hostOf(a) !== undefined && hostOf(a) === hostOf(b);
}

/** The configured server, if any, and the servers that may run on this machine. */
export const serversToAsk = (configured: string): readonly { readonly title: string; readonly baseUrl: string }[] => [
  ...(configured === '' ? [] : [{ title: configured, baseUrl: configured }]),
  ...localServers().filter(({ baseUrl }) => !isSameServer(baseUrl, configured)),
];

/** Whether a base URL is that of Ollama or LM Studio on this machine, which cost nothing. */
export const isLocalServer = (address: string): boolean =>
  localServers().some(({ baseUrl }) => isSameServer(baseUrl, address));
