import fc from 'fast-check';
import { KNOWN_LIVES } from './known-lives.ts';
import { end, live } from './life.ts';
import { lives, type Step } from './steps.ts';
import { World } from './world.ts';

const RUNS = process.env['THREADKEEPER_LONG'] ? 20_000 : 60;

async function lead(steps: readonly Step[]): Promise<void> {
  const world = await World.open();
  try {
    for (const step of steps) await live(world, step);
    await end(world);
  } finally {
    await world.close();
  }
}

describe('a session in which anything happens', () => {
  it('keeps every promise at every step', async () => {
    await fc.assert(fc.asyncProperty(lives, lead), { numRuns: RUNS });
  }).timeout(240_000 + RUNS * 4_000);

  for (const [number, steps] of KNOWN_LIVES.entries()) {
    it(`keeps them in a life that chance seldom leads: ${number + 1}. ${steps.map((step) => step.do).join(', ')}`, () =>
      lead(steps));
  }
});
