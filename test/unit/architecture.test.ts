import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.join(import.meta.dirname, '../..');
const src = path.join(root, 'src');

function documentedArrows(markdown: string): string[] {
  const [, picture = ''] = /```mermaid\nflowchart TB\n(.*?)```/s.exec(markdown) ?? [];
  // The page's box is named after its function; its folder is `webview`.
  const folder = (box: string): string => (box === 'page' ? 'webview' : box);
  return [...picture.matchAll(/^\s*(\w+) (?:-->|-\. [\w ]+ \.->) (\w+)$/gm)]
    .map(([, from = '', to = '']) => `${folder(from)} → ${folder(to)}`)
    .sort();
}

function imported(): string[] {
  const arrows = new Set<string>();
  for (const name of readdirSync(src, { recursive: true, encoding: 'utf8' })) {
    if (!/\.tsx?$/.test(name)) continue;
    const [from = ''] = name.split(path.sep);
    for (const [, target = ''] of readFileSync(path.join(src, name), 'utf8').matchAll(
      /(?:from|import\() ?'(\.[^']+)'/g,
    )) {
      const [to = ''] = path.relative(src, path.resolve(src, path.dirname(name), target)).split(path.sep);
      if (to !== from) arrows.add(`${from} → ${to}`);
    }
  }
  return [...arrows].sort();
}

describe('architecture documentation', () => {
  const markdown = readFileSync(path.join(root, 'docs/architecture.md'), 'utf8');

  it('shows exactly the existing imports in its diagram', () =>
    assert.deepEqual(documentedArrows(markdown), imported()));

  it('has a table row for each folder', () => {
    const named = new Set([...markdown.matchAll(/^\| `src\/([\w/-]+)`/gm)].map(([, folder]) => folder));
    const layers = readdirSync(src, { withFileTypes: true }).filter((one) => one.isDirectory());
    const inner = readdirSync(path.join(src, 'core'), { withFileTypes: true }).filter((one) => one.isDirectory());
    const folders = [...layers.map(({ name }) => name), ...inner.map(({ name }) => `core/${name}`)];
    const unnamed = folders.filter((one) => one !== 'core' && !named.has(one));
    assert.deepEqual(unnamed, []);
  });
});
