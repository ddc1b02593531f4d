import * as vscode from 'vscode';
import { renderRules, type RuleFile } from '../../core/context/render-context.ts';
import { readSettings } from '../platform/settings.ts';
import { isInWorkspace, relativePath } from '../platform/workspace-files.ts';

/** Files with a project's instructions, as various tools read them. */
const NAMES = ['AGENTS.md', 'CLAUDE.md', '.github/copilot-instructions.md'] as const;
/** Maximum size of a file; larger ones are skipped. Codex reads the same amount of `AGENTS.md`. */
const MAX_BYTES = 32_768;
/** Key of the user's answer in the workspace state. */
const ANSWER = 'threadkeeper.projectRules';

/** The instructions of a trusted workspace, which are sent with each request once the user agrees. */
export class ProjectRules implements vscode.Disposable {
  readonly #state: vscode.Memento;
  readonly #warn: (message: string) => void;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly #watchers: vscode.Disposable[] = [];
  readonly #subscriptions: vscode.Disposable[] = [];
  #files: readonly RuleFile[] = [];
  #loaded: Promise<void> | undefined;
  #hasAsked = false;

  constructor(state: vscode.Memento, warn: (message: string) => void) {
    this.#state = state;
    this.#warn = warn;
  }

  dispose(): void {
    this.#changed.dispose();
    for (const one of [...this.#watchers, ...this.#subscriptions]) one.dispose();
  }

  /** The instructions for the system prompt; '' if there are none, in Restricted Mode, or until the user agrees. */
  get text(): string {
    if (!vscode.workspace.isTrusted) return '';
    const { projectRules } = readSettings().chat;
    const isAgreed = projectRules === 'always' || (projectRules === 'ask' && this.#state.get(ANSWER) === true);
    return isAgreed ? renderRules(this.#files) : '';
  }

  /** Reads the files once and watches them. An opened session needs them before its first request. */
  load(): Promise<void> {
    return (this.#loaded ??= this.#readAndWatch());
  }

  /** Asks once whether to send this workspace's instructions. */
  async ask(): Promise<void> {
    const isUndecided = readSettings().chat.projectRules === 'ask' && this.#state.get(ANSWER) === undefined;
    if (this.#hasAsked || !isUndecided || !vscode.workspace.isTrusted || this.#files.length === 0) return;
    this.#hasAsked = true;
    const [send, dontSend] = [vscode.l10n.t('Send Instructions'), vscode.l10n.t('Don’t Send')];
    const answer = await vscode.window.showInformationMessage(
      vscode.l10n.t(
        'This workspace has project instructions: {0}. Send them with each request?',
        this.#files.map(({ name }) => name).join(', '),
      ),
      send,
      dontSend,
    );
    if (answer === undefined) return;
    await this.#state.update(ANSWER, answer === send);
    this.#changed.fire();
  }

  async #readAndWatch(): Promise<void> {
    const first = this.#read();
    // Reads run one after the other, so that the latest version counts.
    let last = first;
    const readSoon = (): void => {
      last = last
        .then(() => this.#read())
        .then(() => this.#changed.fire())
        .catch((error: unknown) => this.#warn(String(error)));
    };
    this.#watch(readSoon);
    this.#subscriptions.push(
      vscode.workspace.onDidGrantWorkspaceTrust(readSoon),
      vscode.workspace.onDidChangeWorkspaceFolders(() => {
        this.#watch(readSoon);
        readSoon();
      }),
    );
    await first;
  }

  /** Watches the current workspace folders instead of the previous ones. */
  #watch(changed: () => void): void {
    for (const watcher of this.#watchers.splice(0)) watcher.dispose();
    for (const folder of vscode.workspace.workspaceFolders ?? []) {
      const watcher = vscode.workspace.createFileSystemWatcher(
        new vscode.RelativePattern(folder, `{${NAMES.join(',')}}`),
      );
      this.#watchers.push(
        watcher,
        watcher.onDidCreate(changed),
        watcher.onDidChange(changed),
        watcher.onDidDelete(changed),
      );
    }
  }

  async #read(): Promise<void> {
    const files: RuleFile[] = [];
    for (const { uri } of vscode.workspace.isTrusted ? (vscode.workspace.workspaceFolders ?? []) : [])
      for (const name of NAMES) {
        const file = vscode.Uri.joinPath(uri, name);
        const text = await this.#textOf(file);
        // One file is often a link to the other.
        if (text !== undefined && !files.some((one) => one.text === text))
          files.push({ name: relativePath(file), text });
      }
    this.#files = files;
  }

  async #textOf(file: vscode.Uri): Promise<string | undefined> {
    try {
      const { size } = await vscode.workspace.fs.stat(file);
      if (!(await isInWorkspace(file))) return undefined;
      if (size <= MAX_BYTES)
        return new TextDecoder().decode(await vscode.workspace.fs.readFile(file)).trim() || undefined;
      this.#warn(`${file.path} is larger than ${MAX_BYTES} bytes and is not sent.`);
      return undefined;
    } catch (error) {
      // Sessions are opened without the file, for example if Node.js can't resolve its real path on a network drive.
      if (!(error instanceof vscode.FileSystemError))
        this.#warn(`${file.path} could not be read and is not sent: ${String(error)}`);
      return undefined;
    }
  }
}
