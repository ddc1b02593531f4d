import * as v from 'valibot';
import * as vscode from 'vscode';
import { parseBaseUrl } from '../../providers/base-url.ts';

export const KEYED_PROVIDERS = ['openai', 'anthropic', 'compatible'] as const;
export type KeyedProvider = (typeof KEYED_PROVIDERS)[number];

/** Vendors, which always require a key. Compatible servers often don't. */
export const VENDORS = ['openai', 'anthropic'] as const;

export const isVendor = (provider: string): boolean => VENDORS.some((one) => one === provider);

export const isKeyed = (provider: string): provider is KeyedProvider => KEYED_PROVIDERS.some((one) => one === provider);

/** A provider and the address to which its key is sent; '' is the provider's own address. */
export interface KeyedServer {
  readonly provider: KeyedProvider;
  readonly baseUrl: string;
}

const keysSchema = v.fallback(v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.string())), {});

export type Keys = ReturnType<typeof secretKeys>;

/**
 * API keys, which are only stored in SecretStorage, never in settings, logs, exports, or journals. A key belongs to the
 * address for which it was entered. Settings with another address, such as those of a repository, don't get it.
 */
export function secretKeys(secrets: vscode.SecretStorage) {
  const keysOf = async (provider: KeyedProvider): Promise<Readonly<Record<string, string>>> =>
    v.parse(keysSchema, await secrets.get(secretId(provider)));
  return {
    get: async ({ provider, baseUrl }: KeyedServer): Promise<string | undefined> =>
      (await keysOf(provider))[originOf(baseUrl)],
    set: async ({ provider, baseUrl }: KeyedServer, key: string): Promise<void> => {
      const keys = { ...(await keysOf(provider)), [originOf(baseUrl)]: key };
      await secrets.store(secretId(provider), JSON.stringify(keys));
    },
    /** Removes the provider's keys for all addresses. */
    clear: (provider: KeyedProvider) => secrets.delete(secretId(provider)),
    onDidChange: (listener: () => void): vscode.Disposable => secrets.onDidChange(listener),
  };
}

const secretId = (provider: KeyedProvider): string => `threadkeeper.key.${provider}`;

/** A URL's scheme, host, and port. Invalid URLs are returned unchanged; no model can be created with them. */
const originOf = (baseUrl: string): string => parseBaseUrl(baseUrl)?.origin ?? baseUrl;

/** Asks for a key and stores it. False if the user cancels. */
export async function askForKey(keys: Keys, server: KeyedServer): Promise<boolean> {
  const label = PROVIDER_LABELS[server.provider];
  const address = originOf(server.baseUrl);
  const key = await vscode.window.showInputBox({
    title: vscode.l10n.t('API Key for {0}', address === '' ? label : `${label} (${address})`),
    prompt: vscode.l10n.t(
      'The API key is stored only in VS Code’s secret storage and is sent only to {0}.',
      address === '' ? label : address,
    ),
    password: true,
    ignoreFocusOut: true,
    validateInput: (text) => {
      if (/\s/.test(text.trim())) return vscode.l10n.t('API keys can’t contain spaces or line breaks.');
      return isAddress(text.trim()) ? vscode.l10n.t('This is a URL, not an API key.') : undefined;
    },
  });
  if (key === undefined || key.trim() === '') return false;
  await keys.set(server, key.trim());
  return true;
}

/** Whether a text is a base URL, or a host with a port. */
const isAddress = (text: string): boolean => /^https?:|^[a-z0-9.-]+:\d+(?:\/|$)/i.test(text);

export const PROVIDER_LABELS: Readonly<Record<KeyedProvider, string>> = {
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  get compatible() {
    return vscode.l10n.t('OpenAI-compatible server');
  },
};

/** The provider's name, or a server's address. */
export const serverName = ({ provider, baseUrl }: { readonly provider: string; readonly baseUrl: string }): string =>
  baseUrl !== ''
    ? baseUrl
    : isKeyed(provider)
      ? PROVIDER_LABELS[provider]
      : provider === 'vscode'
        ? 'VS Code'
        : provider;

/** Lets the user choose a provider; undefined if they cancel. */
export async function pickKeyedServer(servers: readonly KeyedServer[]): Promise<KeyedServer | undefined> {
  const items = servers.map((server) => ({
    label: PROVIDER_LABELS[server.provider],
    description: originOf(server.baseUrl),
    server,
  }));
  return (await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Select Provider') }))?.server;
}
