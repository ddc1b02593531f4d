import * as vscode from 'vscode';

/** What the product does of a file system: all else is the same for every document. */
export type Documents = Pick<vscode.FileSystemProvider, 'onDidChangeFile' | 'stat' | 'readFile'> & {
  writeFile(uri: vscode.Uri, content: Uint8Array): Promise<void>;
};

/** Stands in for the session's documents: an editor that opens one, or shows one again, asks for it. */
export class LateFiles implements vscode.FileSystemProvider, vscode.Disposable {
  readonly #find: () => Promise<Documents>;
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changed.event;
  #followed: vscode.Disposable | undefined;

  constructor(find: () => Promise<Documents>) {
    this.#find = find;
  }

  dispose(): void {
    this.#followed?.dispose();
    this.#changed.dispose();
  }

  watch(): vscode.Disposable {
    // What is open is looked at whenever the session changes.
    return new vscode.Disposable(() => undefined);
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    return (await this.#files()).stat(uri);
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return (await this.#files()).readFile(uri);
  }

  async writeFile(uri: vscode.Uri, content: Uint8Array): Promise<void> {
    await (await this.#files()).writeFile(uri, content);
  }

  readDirectory(uri: vscode.Uri): never {
    throw vscode.FileSystemError.FileNotADirectory(uri);
  }

  createDirectory(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  async #files(): Promise<Documents> {
    const files = await this.#find();
    this.#followed ??= files.onDidChangeFile((changes) => this.#changed.fire([...changes]));
    return files;
  }
}
