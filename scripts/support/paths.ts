import path from 'node:path';

/** The project's folder. */
export const root = path.resolve(import.meta.dirname, '../..');
/** Everything that is downloaded or made while an editor runs; ignored by git, safe to delete. */
export const editorFolder = path.join(root, '.vscode-test');
/** What tests write: compiled suites, results, screenshots; ignored by git, safe to delete. */
export const outFolder = path.join(root, 'out');

/** The path of a package's file, below `node_modules`. */
export const inPackages = (...parts: string[]): string => path.join(root, 'node_modules', ...parts);
