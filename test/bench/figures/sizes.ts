import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { MAIN_LIMIT, PACKAGE_LIMIT, START_LIMIT } from '../../../scripts/packaging/budget.ts';
import { packageExtension } from '../../../scripts/packaging/package-extension.ts';
import { build } from '../../../scripts/support/build.ts';
import { outFolder, root } from '../../../scripts/support/paths.ts';
import type { BenchContext } from '../context.ts';
import type { Figure, Measured } from '../report/figure.ts';

const KILOBYTE = 1000;

/** What is shipped: the package, and the parts of it that are read first. */
export async function measureSizes({ quick, say }: BenchContext): Promise<Measured> {
  if (quick) return { figures: [], notes: ['Sizes are left out: a full run builds and packs the extension.'] };
  say('building and packing');
  await build();
  const folder = path.join(outFolder, 'bench');
  await mkdir(folder, { recursive: true });
  const vsix = path.join(folder, 'measured.vsix');
  await packageExtension(vsix);
  return {
    figures: [
      {
        id: 'speed.size.package',
        label: 'the package',
        value: (await stat(vsix)).size / KILOBYTE,
        unit: 'KB',
        target: { atMost: PACKAGE_LIMIT / KILOBYTE },
        guard: { worse: 'higher', margin: 0.05 },
      },
      await sizeOf('start', 'what is read when the extension wakes', 'extension.cjs', START_LIMIT),
      await sizeOf('main', 'what is read when the product is used first', 'product.cjs', MAIN_LIMIT),
    ],
  };
}

async function sizeOf(name: string, label: string, file: string, limit: number): Promise<Figure> {
  return {
    id: `speed.size.${name}`,
    label,
    value: (await stat(path.join(root, 'dist', file))).size / KILOBYTE,
    unit: 'KB',
    target: { atMost: limit / KILOBYTE },
    guard: { worse: 'higher', margin: 0.1 },
  };
}
