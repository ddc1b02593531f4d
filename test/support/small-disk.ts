import { execFileSync } from 'node:child_process';
import { rm, statfs, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** A real file system of its own that is soon full: a tmpfs, mounted over a folder. */
export class SmallDisk {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Mounts one of so many MiB over the folder; undefined, said on the terminal, where that is not allowed. */
  static mount(folder: string, mebibytes: number): SmallDisk | undefined {
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', folder], { stdio: 'ignore' });
      return new SmallDisk(folder);
    } catch {
      console.log('      skipped: a small file system cannot be mounted here');
      return undefined;
    }
  }

  get #ballast(): string {
    return path.join(this.folder, 'ballast');
  }

  /** Takes all room but so many bytes. */
  async fill(left: number): Promise<void> {
    const { bavail, bsize } = await statfs(this.folder);
    await writeFile(this.#ballast, Buffer.alloc(Math.max(0, bavail * bsize - left)));
  }

  /** Gives the room back. */
  async clear(): Promise<void> {
    await rm(this.#ballast);
  }

  makeReadOnly(): void {
    execFileSync('mount', ['-o', 'remount,ro', this.folder]);
  }

  /** Lazily, since whoever has a file open there may be slow to close it. */
  unmount(): void {
    execFileSync('umount', ['-l', this.folder]);
  }
}
