import { stat } from 'node:fs/promises';
import path from 'node:path';
import { root } from '../support/paths.ts';

/** Files that a package may contain. Anything else is a mistake, such as a test, a source file, or a key. */
const ALLOWED = [
  /^package\.json$/,
  /^package\.nls(\.[a-z-]+)?\.json$/,
  /^l10n\/bundle\.l10n(\.[a-z-]+)?\.json$/,
  /^(README|CHANGELOG|THIRD-PARTY-NOTICES)\.md$/,
  /^LICENSE$/,
  // Documentation for offline use. The README loads its images from the repository.
  /^docs\/(compression|operators-guide|privacy-and-security|security|settings)\.md$/,
  /^media\/[\w./-]+\.(svg|png|gif|md|json|jsonl)$/,
  /^dist\/(extension|product|all-chats)\.cjs$/,
  /^dist\/chunks\/[\w.-]+\.cjs$/,
  /^dist\/webview\.js$/,
  /^dist\/webview\.css$/,
  /^dist\/codicon\.(css|ttf)$/,
  /^dist\/sample-session\.jsonl$/,
];

const REQUIRED = [
  'package.json',
  'LICENSE',
  'README.md',
  'dist/extension.cjs',
  'dist/product.cjs',
  'dist/all-chats.cjs',
  'dist/webview.js',
  'dist/webview.css',
  'dist/codicon.css',
  'dist/codicon.ttf',
  'dist/sample-session.jsonl',
];

const KILOBYTE = 1000;
/** Maximum size of the package, of which the compressed vocabularies of the two tokenizers take 1,640 KB. */
const MAX_PACKAGE_BYTES = 2900 * KILOBYTE;
/** Maximum size of the file that is loaded at activation. It has room for registering commands, not for their code. */
const MAX_EXTENSION_BYTES = 16 * KILOBYTE;
/** Maximum size of the file that is loaded when the product is first used. Other files are loaded later. */
const MAX_PRODUCT_BYTES = 400 * KILOBYTE;

const kilobytes = (bytes: number): string => `${Math.ceil(bytes / KILOBYTE)} KB`;

interface Size {
  readonly what: string;
  readonly bytes: number;
  readonly limit: number;
}

async function sizesOf(vsix: string): Promise<readonly Size[]> {
  const limits = [
    { what: path.basename(vsix), file: vsix, limit: MAX_PACKAGE_BYTES },
    { what: 'dist/extension.cjs', file: path.join(root, 'dist/extension.cjs'), limit: MAX_EXTENSION_BYTES },
    { what: 'dist/product.cjs', file: path.join(root, 'dist/product.cjs'), limit: MAX_PRODUCT_BYTES },
  ];
  return Promise.all(limits.map(async ({ what, file, limit }) => ({ what, bytes: (await stat(file)).size, limit })));
}

/** Faults in a package's file list; empty if there are none. */
export function checkPackagedFiles(files: readonly string[]): readonly string[] {
  return [
    ...files
      .filter((file) => !ALLOWED.some((rule) => rule.test(file)))
      .map((file) => `${file} does not belong in the package`),
    ...REQUIRED.filter((file) => !files.includes(file)).map((file) => `${file} is missing from the package`),
  ];
}

/** Files that exceed their maximum size; empty if there are none. */
export async function checkSizes(vsix: string): Promise<readonly string[]> {
  return (await sizesOf(vsix))
    .filter(({ bytes, limit }) => bytes > limit)
    .map(({ what, bytes, limit }) => `${what} is ${kilobytes(bytes)}; the limit is ${kilobytes(limit)}`);
}

/** The sizes and their limits in one line. */
export async function describeSizes(vsix: string): Promise<string> {
  const sizes = await sizesOf(vsix);
  return sizes.map(({ what, bytes, limit }) => `${what}: ${kilobytes(bytes)} of ${kilobytes(limit)}`).join('; ');
}
