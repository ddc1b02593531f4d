import { execFileSync } from 'node:child_process';
import { rm, statfs, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** A small real file system (a tmpfs) that is mounted over a folder. */
export class SmallDisk {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Mounts a file system of this size over the folder. If that isn't permitted, prints this and returns undefined. */
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

  async fill(left: number): Promise<void> {
    const { bavail, bsize } = await statfs(this.folder);
    await writeFile(this.#ballast, Buffer.alloc(Math.max(0, bavail * bsize - left)));
  }

  async clear(): Promise<void> {
    await rm(this.#ballast);
  }

  makeReadOnly(): void {
    execFileSync('mount', ['-o', 'remount,ro', this.folder]);
  }

  /** Unmounts lazily, because open files would block unmounting. */
  [Symbol.dispose](): void {
    execFileSync('umount', ['-l', this.folder]);
  }
}
