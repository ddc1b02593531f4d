import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import type { Memento } from 'vscode';

let editors = 0;

/**
 * Loads modules of the extension host with the parts of `vscode` in `PLAIN` and `editor`. Each caller gets separate
 * instances, because other tests load the same modules with other parts.
 */
export function hostIn(editor: object): <T>(file: string) => Promise<T> {
  const tag = `?editor-${++editors}`;
  const whole = { ...PLAIN, ...editor };
  Reflect.set(globalThis, tag, whole);
  const source = `export const { ${Object.keys(whole).join(', ')} } = globalThis['${tag}'];`;
  registerHooks({
    resolve: (name, context, next) => {
      if (context.parentURL?.endsWith(tag) !== true) return next(name, context);
      if (name === 'vscode') return { url: `data:text/javascript,${encodeURIComponent(source)}`, shortCircuit: true };
      const found = next(name, context);
      return found.url.includes('/src/host/') ? { ...found, url: `${found.url}${tag}` } : found;
    },
  });
  return async <T>(file: string) => (await import(`../../src/host/${file}${tag}`)) as T;
}

/** Returns texts like VS Code in English. */
export const l10n = {
  t: (text: string, ...values: unknown[]): string =>
    text.replace(/\{(\d)\}/g, (hole, at) => (Number(at) in values ? String(values[Number(at)]) : hole)),
};

export const nothing = { dispose: (): void => undefined };

/** An event emitter like VS Code's, for an event without data. */
export class EventEmitter {
  readonly #then = new Set<() => void>();
  readonly event = (then: () => void): typeof nothing => {
    this.#then.add(then);
    return { dispose: () => void this.#then.delete(then) };
  };
  fire(): void {
    for (const then of this.#then) then();
  }
  dispose(): void {
    this.#then.clear();
  }
}

export function memento(kept = new Map<string, unknown>()): Memento {
  return {
    keys: () => [...kept.keys()],
    get: <T>(key: string, fallback?: T) => (kept.get(key) as T | undefined) ?? fallback,
    update: (key: string, value: unknown) => Promise.resolve(void kept.set(key, value)),
  };
}

type Settings = Record<string, Record<string, unknown>>;

/** `vscode.workspace` with these settings by section. */
export const workspaceWith = (settings: Settings) => ({
  getConfiguration: () => ({
    get: (path: string) => {
      const [section = '', name] = path.split('.');
      return name === undefined ? settings[section] : settings[section]?.[name];
    },
    inspect: (path: string) => {
      const [section = '', name = ''] = path.split('.');
      return { defaultValue: defaultSettings()[section]?.[name] };
    },
  }),
});

export function defaultSettings(): Settings {
  const { contributes } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    contributes: { configuration: readonly { properties: Record<string, { default?: unknown }> }[] };
  };
  const settings: Settings = {};
  for (const { properties } of contributes.configuration)
    for (const [id, setting] of Object.entries(properties)) {
      const [, section = '', name = ''] = id.split('.');
      (settings[section] ??= {})[name] = setting.default;
    }
  return settings;
}

class TreeItem {
  readonly label: string;
  constructor(label: string) {
    this.label = label;
  }
}

/** Escapes text like VS Code. */
export class MarkdownString {
  value: string;
  constructor(value = '') {
    this.value = value;
  }
  appendText(text: string): this {
    this.value += text
      .replace(/[\\`*_{}[\]()#+\-!~]/g, '\\$&')
      .replace(/([ \t]+)/g, (spaces) => '&nbsp;'.repeat(spaces.length))
      .replace(/>/gm, '\\>')
      .replace(/\n/g, '\n\n');
    return this;
  }
  appendMarkdown(text: string): this {
    this.value += text;
    return this;
  }
}

/** The parts of `vscode` that most modules need. */
const PLAIN = {
  ...{ l10n, env: { language: 'en' }, workspace: {}, commands: {}, EventEmitter, RelativePattern: Object },
  ...{ TreeItem, MarkdownString, ThemeIcon: Object, ThemeColor: Object, Uri: Object, Range: Object },
  ...{ FileSystemError: Object, Disposable: Object, ConfigurationTarget: {} },
  ...{
    TreeItemCollapsibleState: {},
    QuickPickItemKind: {},
    ProgressLocation: {},
    ViewColumn: {},
    TextEditorRevealType: {},
  },
};
