import assert from 'node:assert/strict';
import { gaugeErrors, OTHER_COUNTS, TURNS } from '../../support/reported-usage.ts';
import { WireServer } from '../../support/wire-server.ts';
import { openForAllTests } from '../../support/per-test.ts';

describe('gauge compared with usage reported over HTTP', () => {
  let server: WireServer;

  openForAllTests(async () => (server = await WireServer.start()));

  for (const other of OTHER_COUNTS) {
    it(`is within 5% of the reported usage after five turns and after a reload: ${other.name}`, async () => {
      const { errors, approximate } = await gaugeErrors(server, other);
      assert.deepEqual(approximate, { before: false, after: false });
      assert.equal(errors.length, TURNS.before + TURNS.after);
      assert.ok(errors[0]! > Math.max(...errors.slice(5)), `${errors[0]}: there was nothing to learn`);
      for (const error of errors.slice(5)) assert.ok(error < 0.05, errors.map((one) => one.toFixed(3)).join(' '));
    });
  }
});
