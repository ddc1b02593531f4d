import path from 'node:path';

/** The project's folder. */
export const root = path.resolve(import.meta.dirname, '../..');
/** Downloads and data of running editors; ignored by git, safe to delete. */
export const editorFolder = path.join(root, '.vscode-test');
/** Output of tests: compiled suites, results, screenshots; ignored by git, safe to delete. */
export const outFolder = path.join(root, 'out');

/** The path of a package's file in `node_modules`. */
export const inNodeModules = (...parts: string[]): string => path.join(root, 'node_modules', ...parts);
