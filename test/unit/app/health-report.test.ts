import assert from 'node:assert/strict';
import { countProblems, renderHealth, type HealthFacts } from '../../../src/app/health-report.ts';

const sound: HealthFacts = {
  versions: { Threadkeeper: '0.1.0', editor: 'Code 1.139.1' },
  journals: [{ id: 's1', bytes: 2048, messages: 12, isCurrent: true, fault: undefined }],
  snapshots: { kind: 'valid', bytes: 900 },
  quarantined: 0,
  settings: { fault: undefined, changed: ['chat.provider'] },
  provider: { name: 'local', model: '', state: { kind: 'ready' } },
  memory: { entries: 3, quarantined: 0, fault: undefined },
};

describe('health report', () => {
  it('says that there are no problems, with sizes and counts', () => {
    assert.equal(countProblems(sound), 0);
    const report = renderHealth(sound);
    assert.match(report, /No problems found\./);
    assert.match(report, /valid: 1 of 1, 2 KB total/);
    assert.match(report, /messages in the open session: 12/);
    assert.match(report, /changed: `chat\.provider`/);
  });

  it('counts and names all problems', () => {
    const facts: HealthFacts = {
      ...sound,
      journals: [...sound.journals, { id: 's2', bytes: 10, messages: 0, isCurrent: false, fault: 'line 3: checksum' }],
      snapshots: { kind: 'corrupt', bytes: 5 },
      settings: { fault: 'The window must be an integer of at least 1, not 0.', changed: [] },
      provider: { name: 'openai', model: 'm', state: { kind: 'fault', reason: 'refused_key' } },
    };
    assert.equal(countProblems(facts), 4);
    const report = renderHealth(facts);
    assert.match(report, /Found 4 problems/);
    assert.match(report, /`s2`, 1 KB: line 3: checksum/);
    assert.match(report, /openai, model `m`: fault: refused_key/);
  });
});
