import * as vscode from 'vscode';

/** Providers that need a key. */
export const KEYED_PROVIDERS = ['openai', 'anthropic', 'compatible'] as const;
export type KeyedProvider = (typeof KEYED_PROVIDERS)[number];

export const isKeyed = (provider: string): provider is KeyedProvider => KEYED_PROVIDERS.some((one) => one === provider);

/** API keys, in SecretStorage alone: not in settings, logs, exports or journals. */
export class Keys {
  readonly #secrets: vscode.SecretStorage;

  constructor(secrets: vscode.SecretStorage) {
    this.#secrets = secrets;
  }

  get(provider: KeyedProvider): Thenable<string | undefined> {
    return this.#secrets.get(name(provider));
  }

  async set(provider: KeyedProvider, key: string): Promise<void> {
    await this.#secrets.store(name(provider), key);
  }

  async clear(provider: KeyedProvider): Promise<void> {
    await this.#secrets.delete(name(provider));
  }

  onDidChange(listener: () => void): vscode.Disposable {
    return this.#secrets.onDidChange(listener);
  }
}

const name = (provider: KeyedProvider): string => `threadkeeper.key.${provider}`;

/** Asks for a key and keeps it; undefined when the user gave none. */
export async function askForKey(keys: Keys, provider?: KeyedProvider): Promise<KeyedProvider | undefined> {
  const chosen = provider ?? (await chooseProvider());
  if (chosen === undefined) return undefined;
  const key = await vscode.window.showInputBox({
    title: vscode.l10n.t('API key for {0}', LABEL[chosen]),
    prompt: vscode.l10n.t('The key is kept in the secret storage of the editor, nowhere else.'),
    password: true,
    ignoreFocusOut: true,
    validateInput: (text) =>
      /^\S*$/.test(text.trim()) ? undefined : vscode.l10n.t('A key has no spaces or line breaks in it.'),
  });
  if (key === undefined || key.trim() === '') return undefined;
  await keys.set(chosen, key.trim());
  return chosen;
}

/** What the providers call themselves. */
export const LABEL: Readonly<Record<KeyedProvider, string>> = {
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  compatible: 'OpenAI-compatible',
};

export async function chooseProvider(): Promise<KeyedProvider | undefined> {
  const items = KEYED_PROVIDERS.map((provider) => ({ label: LABEL[provider], provider }));
  const picked = await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Provider') });
  return picked?.provider;
}
