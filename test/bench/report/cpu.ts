/** The CPU time of `work` in ms, including all threads of this process. */
export async function cpuMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** A quantile: the value below which a share of the values lies. 0.5 is the median. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/**
 * Measures how long the event loop is blocked: this thread's maximum CPU time within one turn of the loop, in ms.
 * Unlike the delay by the clock, it doesn't grow when other programs use the machine. It uses a timer, because a check
 * in every turn would keep the loop busy while it only waits for the disk.
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
