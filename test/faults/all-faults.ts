import { readFileSync } from 'node:fs';
import { FIGURE_FAULTS } from './figures-faults.ts';
import type { PlantedFault } from './planted-fault.ts';

/**
 * Reads `faults.txt`: after `# promise: test “title”` follow the faults that break the promise and that this test has to
 * notice, each as `## file: what goes wrong`, `-` lines that stand in the file once, and `+` lines to put in their place.
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

/** Every fault that is planted, by what it breaks. */
export const FAULTS: readonly PlantedFault[] = [
  ...read(readFileSync(new URL('faults.txt', import.meta.url), 'utf8')),
  ...FIGURE_FAULTS,
];
