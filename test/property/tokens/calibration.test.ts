import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { Calibration } from '../../../src/core/tokens/calibration.ts';

const server = fc.record({
  factor: fc.double({ min: 0.7, max: 2, noNaN: true }),
  perMessage: fc.integer({ min: 0, max: 8 }),
  perCjk: fc.double({ min: -0.2, max: 1, noNaN: true }),
});
const turns = fc.array(
  fc.record({ tokens: fc.integer({ min: 300, max: 3000 }), cjk: fc.integer({ min: 0, max: 99 }) }),
  { minLength: 7, maxLength: 20 },
);

describe('calibration against any server', () => {
  it('is off by less than 5% from turn 6 of a growing session for 99 of 100 servers, and by less than 30% for any', () => {
    let servers = 0;
    let above = 0;
    const cjkTenths = fc.integer({ min: 0, max: 9 });
    const property = fc.property(server, turns, cjkTenths, ({ factor, perMessage, perCjk }, session, tenths) => {
      const calibration = new Calibration(1);
      const sent = { tokens: 0, cjk: 0, messages: 0 };
      let worst = 0;
      session.forEach(({ tokens, cjk }, turn) => {
        sent.tokens += tokens;
        sent.cjk += Math.round((tokens * tenths * (50 + cjk)) / 1500);
        sent.messages += 2;
        const reported = Math.round(sent.tokens * factor + sent.messages * perMessage + sent.cjk * perCjk);
        if (turn >= 5) worst = Math.max(worst, Math.abs(calibration.estimate(sent.tokens) / reported - 1));
        calibration.observe({ tokens: sent.tokens, reported });
      });
      servers++;
      if (worst >= 0.05) above++;
      // Of 200,000 random servers (ten seeds), the error of 259 was 5%, of 83 7%, of 12 10%, of 3 15%, and of one 22%,
      // all in sessions that changed in that turn.
      assert.ok(worst < 0.3, `${(worst * 100).toFixed(1)} %`);
    });
    fc.assert(property, { numRuns: 1_000 });
    assert.ok(above <= servers / 100, `${above} of ${servers} servers`);
  });

  it('keeps its estimates within its clamps, whatever the server reports', () => {
    const any = { tokens: fc.integer({ min: 0, max: 1e6 }) };
    const observation = fc.oneof(
      fc.record({ ...any, reported: fc.double({ min: -10, max: 1e7 }) }),
      // Invalid counts that still look plausible.
      fc
        .record({ ...any, times: fc.double({ min: 0.2, max: 10, noNaN: true }) })
        .map(({ times, ...request }) => ({ ...request, reported: Math.round(request.tokens * times) })),
    );
    fc.assert(
      fc.property(fc.array(observation, { maxLength: 40 }), observation, (reports, request) => {
        const calibration = new Calibration(1);
        for (const report of reports) calibration.observe(report);
        const estimate = calibration.estimate(request.tokens);
        assert.ok(estimate >= Math.floor(request.tokens * 0.5) && estimate <= request.tokens * 4, `${estimate}`);
      }),
    );
  });
});
