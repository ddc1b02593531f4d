import assert from 'node:assert/strict';
import { Calibration } from '../../../src/core/tokens/calibration.ts';

/** Requests of a session that grows by about 700 tokens per turn. */
const growing = (turns: number) =>
  Array.from({ length: turns }, (_, turn) => ({ tokens: 700 * (turn + 1) + (((turn + 1) * 37) % 90) }));
const error = (estimate: number, reported: number): number => Math.abs(estimate / reported - 1);

describe('calibration', () => {
  it('starts uncalibrated, with the model’s default factor', () => {
    const calibration = new Calibration(1.5);
    assert.equal(calibration.calibrated, false);
    assert.equal(calibration.estimate(1000), 1500);
  });

  it('is not thrown off by a single wrong report', () => {
    for (const wrong of [0.1, 0.4, 3, 50]) {
      const calibration = new Calibration(1);
      growing(8).forEach((one, turn) => {
        calibration.observe({ ...one, reported: Math.round(one.tokens * 1.2 * (turn === 4 ? wrong : 1)) });
      });
      assert.ok(error(calibration.estimate(6000), 7200) < 0.05, `${wrong} times too much`);
    }
  });

  it('adapts when the provider changes its tokenizer', () => {
    const calibration = new Calibration(1);
    for (const one of growing(10)) calibration.observe({ ...one, reported: one.tokens });
    for (const one of growing(10)) calibration.observe({ ...one, reported: Math.round(one.tokens * 1.4) });
    assert.ok(error(calibration.estimate(5000), 7000) < 0.05);
  });

  it('does not extrapolate a server’s hidden prompt from short chats to a long one', () => {
    for (const hidden of [350, 2_235]) {
      const calibration = new Calibration(1);
      for (const tokens of [300, 450, 700, 900]) calibration.observe({ tokens, reported: tokens + hidden });
      assert.ok(error(calibration.estimate(62_600), 62_600 + hidden) < 0.1, `${calibration.estimate(62_600)}`);
      const most = calibration.counted(100_000);
      assert.ok(error(calibration.estimate(most), 100_000) < 0.001 && error(most, 100_000 - hidden) < 0.1, `${most}`);
    }
  });

  it('learns from a report over three times the size of earlier ones if it confirms their factor', () => {
    const calibration = new Calibration(1);
    for (const tokens of [300, 600, 900, 1_200, 3_900])
      assert.equal(calibration.observe({ tokens, reported: Math.round(tokens * 0.7) }), 'learned', `${tokens}`);
    assert.ok(error(calibration.estimate(4_400), 4_400 * 0.7) < 0.01);
  });

  it('gives the same estimates after a reload', () => {
    const calibration = new Calibration(1.2);
    for (const one of growing(30)) calibration.observe({ ...one, reported: Math.round(one.tokens * 1.31) });
    const restored = new Calibration(1.2, JSON.parse(JSON.stringify(calibration.export())));
    assert.equal(restored.calibrated, true);
    assert.equal(restored.estimate(4321), calibration.estimate(4321));
    assert.ok(calibration.export().observations.length <= 24);
  });

  it('ignores invalid reports and tiny requests', () => {
    const calibration = new Calibration(1);
    for (const reported of [0, -5, NaN, Infinity]) calibration.observe({ tokens: 1000, reported });
    calibration.observe({ tokens: 3, reported: 3 });
    assert.equal(calibration.calibrated, false);
    assert.deepEqual(calibration.export().observations, []);
  });
});

describe('calibration with a server that truncates prompts', () => {
  it('keeps truncated prompts out of the estimates and detects the truncation within two turns', () => {
    for (const start of [1_000, 4_000, 9_000]) {
      for (const step of [60, 700, 3_000]) {
        const calibration = new Calibration(1);
        let told = 0;
        for (let turn = 0, tokens = start; turn < 12; turn++, tokens += step) {
          assert.ok(calibration.estimate(tokens) > tokens * 0.95, `${start} + ${turn} × ${step}`);
          // Complete messages are dropped, so the remaining size varies.
          const reported = tokens <= 4_096 ? tokens : 4_032 - ((turn * 53) % 200);
          const verdict = calibration.observe({ tokens, reported });
          if (tokens <= 4_096) assert.notEqual(verdict, 'truncated');
          else if (told < 2) told = verdict === 'truncated' ? 2 : told + 1;
          if (told === 2) assert.ok(verdict === 'truncated' || calibration.serverWindow !== undefined, `turn ${turn}`);
        }
      }
    }
  });

  it('never suspects truncation because another session needs fewer of the server’s tokens', () => {
    const calibration = new Calibration(1);
    const [german, english] = [{}, {}];
    for (let turn = 0; turn < 8; turn++) {
      const tokens = 2_000 + 300 * turn;
      const verdicts = [
        calibration.observe({ tokens, reported: Math.round(tokens * 1.25) }, german),
        calibration.observe({ tokens: tokens + 150, reported: tokens + 150 }, english),
        calibration.observe({ tokens: tokens + 200, reported: tokens + 200 }, english),
      ];
      assert.ok(!verdicts.includes('truncated'), `turn ${turn}`);
    }
  });

  it('suspects truncation only if two reports in a row are too low, for requests that begin alike', () => {
    const low = { tokens: 3_000, reported: 2_700 };
    const high = { tokens: 2_800, reported: 2_800 };
    const [ours, other] = [{}, {}];
    const verdicts = (...reports: readonly [{ tokens: number; reported: number }, object][]) => {
      const calibration = new Calibration(1);
      return reports.map(([report, beginning]) => calibration.observe(report, beginning));
    };
    assert.deepEqual(verdicts([high, ours], [low, ours], [{ tokens: 3_100, reported: 2_750 }, ours]), [
      'learned',
      'held',
      'truncated',
    ]);
    // Excerpts for a single turn can make a request longer by our count alone.
    assert.deepEqual(verdicts([high, ours], [low, ours], [{ tokens: 3_100, reported: 3_100 }, ours])[2], 'learned');
    assert.equal(verdicts([high, ours], [low, other], [{ tokens: 3_100, reported: 2_750 }, ours])[2], 'learned');
  });

  it('adopts the server’s stated window when it is larger than the observed one', () => {
    const calibration = new Calibration(1);
    calibration.setStatedWindow(4_096);
    assert.equal(calibration.serverWindow, undefined, 'it has read all so far');
    // Two messages of 2,450 tokens don't fit, so the first one is dropped.
    for (const tokens of [2_450, 4_950, 7_450]) calibration.observe({ tokens, reported: 2_500 });
    assert.equal(calibration.serverWindow, 2_500);
    calibration.setStatedWindow(4_096);
    assert.equal(calibration.serverWindow, 4_096);
    assert.equal(calibration.observe({ tokens: 9_900, reported: 2_500 }), 'truncated');
    assert.equal(calibration.serverWindow, 4_096);
  });

  it('never suspects truncation by a vendor’s own API, which rejects prompts that are too long', () => {
    const calibration = new Calibration(1.56, { observations: [], serverWindow: 2_100 }, true);
    assert.equal(calibration.serverWindow, undefined);
    for (const tokens of [10_000, 12_000, 14_000])
      assert.notEqual(calibration.observe({ tokens, reported: 2_500 }), 'truncated');
    assert.equal(calibration.serverWindow, undefined);
  });

  it('forgets the detected window when the server reads a longer prompt in full', () => {
    const calibration = new Calibration(1);
    for (const tokens of [3_000, 5_000, 7_000]) calibration.observe({ tokens, reported: Math.min(tokens, 4_032) });
    assert.equal(calibration.serverWindow, 4_032);
    assert.equal(new Calibration(1, calibration.export()).serverWindow, 4_032);
    calibration.observe({ tokens: 7_500, reported: 7_500 });
    assert.equal(calibration.serverWindow, undefined);
  });
});
