import fc from 'fast-check';
import { end, live } from './life.ts';
import { lives } from './steps.ts';
import { World } from './world.ts';

const RUNS = process.env['THREADKEEPER_LONG'] ? 3_000 : 60;

describe('a session in which anything happens', () => {
  it('keeps every promise at every step', async () => {
    await fc.assert(
      fc.asyncProperty(lives, async (steps) => {
        const world = await World.open();
        try {
          for (const step of steps) await live(world, step);
          await end(world);
        } finally {
          await world.close();
        }
      }),
      { numRuns: RUNS, ...(process.env['SEED'] ? { seed: Number(process.env['SEED']) } : {}) },
    );
  }).timeout(RUNS * 4_000);
});
