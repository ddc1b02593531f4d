interface Server {
  readonly title: string;
  readonly baseUrl: string;
}

/** Model servers that may run on this machine. Tests override the ports with an environment variable. */
function localServers(): readonly Server[] {
  const [ollama = '11434', lmStudio = '1234'] = process.env['THREADKEEPER_LOCAL_PORTS']?.split(',') ?? [];
  return Object.entries({ Ollama: ollama, 'LM Studio': lmStudio }).map(([title, port]) => ({
    title: `${title} (127.0.0.1:${port})`,
    baseUrl: `http://127.0.0.1:${port}/v1`,
  }));
}

/** Whether two base URLs have the same host and port. `localhost` equals `127.0.0.1`. */
function isSameServer(a: string, b: string): boolean {
  const hostOf = (address: string): string | undefined =>
    URL.parse(address)?.host.replace('localhost', '127.0.0.1').replace('[::1]', '127.0.0.1');
  return hostOf(a) !== undefined && hostOf(a) === hostOf(b);
}

/** The configured server, if any, and the servers that may run on this machine. */
export const serversToQuery = (configured: string): readonly Server[] => [
  ...(configured === '' ? [] : [{ title: configured, baseUrl: configured }]),
  ...localServers().filter(({ baseUrl }) => !isSameServer(baseUrl, configured)),
];

/** Whether a base URL is that of Ollama or LM Studio on this machine, whose models are free. */
export const isLocalServer = (address: string): boolean =>
  localServers().some(({ baseUrl }) => isSameServer(baseUrl, address));
