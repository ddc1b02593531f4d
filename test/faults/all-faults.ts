import { readFileSync } from 'node:fs';
import type { PlantedFault } from './planted-fault.ts';

/**
 * Reads `faults.txt`: each line `# promise: test “title”` is followed by faults that break the promise and must make
 * that test fail. A fault is `## file: what goes wrong`, then `-` lines that occur once in the file, and `+` lines that
 * replace them.
 */
function read(text: string): PlantedFault[] {
  return text
    .split(/^# /m)
    .slice(1)
    .flatMap((part) => {
      const [head = '', ...faults] = part.split(/^## /m);
      const [, promise = '', spec = '', title = ''] = /^(\S+): (\S+) “(.+)”$/m.exec(head) ?? [];
      return faults.map((fault) => {
        const [, file = '', what = ''] = /^(\S+): (.+)$/m.exec(fault) ?? [];
        const marked = (mark: string): string =>
          fault
            .split('\n')
            .filter((line) => line.startsWith(mark))
            .map((line) => line.slice(mark.length))
            .join('\n');
        return { promise, spec, title, file, what, find: marked('- '), put: marked('+ ') };
      });
    });
}

/** All planted faults, by what they break. */
export const FAULTS: readonly PlantedFault[] = read(readFileSync(new URL('faults.txt', import.meta.url), 'utf8'));
