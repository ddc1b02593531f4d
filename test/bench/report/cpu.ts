/** Milliseconds of CPU time that a piece of work took, all threads of this process together. */
export async function cpuMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** The value below which a share of the values lies; 0.5 is the median. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/**
 * Watches how long the event loop is held: the longest stretch of this thread's own CPU time within one turn of the
 * loop, in milliseconds. Unlike a delay by the clock it does not grow when other programs use the machine. It looks by a
 * timer: looking at every turn would keep the loop turning, and count as work, while there is nothing but a disk to wait for.
 */
export function watchLoop(): { stop(): number } {
  let longest = 0;
  let watching = true;
  let last = process.threadCpuUsage();
  const tick = (): void => {
    if (!watching) return;
    const now = process.threadCpuUsage();
    longest = Math.max(longest, (now.user - last.user + now.system - last.system) / 1000);
    last = now;
    setTimeout(tick, 1);
  };
  setTimeout(tick, 1);
  return {
    stop: () => {
      watching = false;
      return longest;
    },
  };
}
