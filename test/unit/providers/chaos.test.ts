import assert from 'node:assert/strict';
import { describeFault } from '../../../src/app/fault-text.ts';
import { withRetries } from '../../../src/providers/retry.ts';
import { FAULTS } from '../../support/disturbances.ts';
import { Random } from '../../support/random.ts';
import { WireServer } from '../../support/wire-server.ts';
import { PROTOCOLS, ask, turn } from './protocols.ts';
import type { Outcome } from './protocols.ts';
import { openForAllTests } from '../../support/per-test.ts';

const TURNS = process.env['THREADKEEPER_LONG'] ? 1000 : 100;
const FAULTED = 0.3;
const STOPPED = 0.05;
const AT_ONCE = 5;
/** Maximum silence of the server, in ms. Longer than a busy machine takes to answer. */
const SILENCE_MS = 3_000;
/** A turn is stuck if it takes longer, in ms. This is far more than all its tries take. */
const STUCK_MS = 120_000;

const question = (n: number): string => `Question number ${n} about the migration`;
const answer = (text: string): string => `To "${text}" the answer is: first the reader, then the writer.`;

for (const [seed, protocol] of PROTOCOLS.entries()) {
  describe(`${TURNS} turns through ${protocol.name}, with 3 of 10 requests failing`, () => {
    let server: WireServer;
    openForAllTests(async () => (server = await WireServer.start()));

    it('all end, either complete and correct or with a fault that offers an action', async function () {
      this.timeout(240_000 + TURNS * 1000);
      const random = new Random(seed + 1);
      server.answerWith(answer).disturbBy(() => {
        return random.next() < FAULTED ? random.pick(FAULTS) : undefined;
      });
      const model = withRetries(protocol.make(server.url, SILENCE_MS), { sleep: () => Promise.resolve() });

      const outcomes: Outcome[] = [];
      let next = 0;
      const worker = async (): Promise<void> => {
        while (next < TURNS) {
          const n = next++;
          const stop = new AbortController();
          if (random.next() < STOPPED) setTimeout(() => stop.abort(), random.next() * 20);
          const outcome = await unstuck(turn(model, ask(question(n)), stop.signal), n);
          assert.ok(answer(question(n)).startsWith(outcome.text), `turn ${n} said: ${outcome.text}`);
          outcomes.push(outcome);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, worker));

      assert.equal(outcomes.length, TURNS);
      for (const { text, ending, fault } of outcomes) {
        if (fault === undefined) {
          assert.equal(ending, 'complete');
          assert.match(text, /then the writer\.$/);
        } else {
          assert.ok(describeFault(fault).action !== undefined);
        }
      }
      const whole = outcomes.filter((outcome) => outcome.fault === undefined).length;
      assert.ok(whole > 0 && whole < TURNS, `${whole} of ${TURNS} turns were completed`);
    });
  });
}

async function unstuck(outcome: Promise<Outcome>, n: number): Promise<Outcome> {
  let timer: NodeJS.Timeout | undefined;
  const stuck = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`turn ${n} is stuck`)), STUCK_MS);
  });
  try {
    return await Promise.race([outcome, stuck]);
  } finally {
    clearTimeout(timer);
  }
}
