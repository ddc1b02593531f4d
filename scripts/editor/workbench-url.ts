import path from 'node:path';

export interface WorkbenchTarget {
  /** A folder or a `.code-workspace` file; by default, an empty window. */
  readonly folder?: string | undefined;
  /** Folders of extensions that run from source; only supported with the smoke test driver. */
  readonly extensionDevelopmentPaths?: readonly string[];
  /** The module whose `run` is called by the extension host; only supported with the smoke test driver. */
  readonly extensionTestsPath?: string | undefined;
}

/** The URL that opens `target` in the workbench. `origin` is for example `http://127.0.0.1:8947`. */
export function workbenchUrl(origin: string, target: WorkbenchTarget = {}): string {
  const url = new URL(origin);
  const remote = (file: string): string => `vscode-remote://${url.host}${encodeURI(path.resolve(file))}`;
  const payload = (target.extensionDevelopmentPaths ?? []).map((file) => ['extensionDevelopmentPath', remote(file)]);
  if (target.extensionTestsPath !== undefined) payload.push(['extensionTestsPath', remote(target.extensionTestsPath)]);

  if (target.folder === undefined) url.searchParams.set('ew', 'true');
  else if (target.folder.endsWith('.code-workspace')) url.searchParams.set('workspace', path.resolve(target.folder));
  else url.searchParams.set('folder', path.resolve(target.folder));
  if (payload.length > 0) url.searchParams.set('payload', JSON.stringify(payload));
  return url.href;
}
