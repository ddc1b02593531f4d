import assert from 'node:assert/strict';
import { importRecords } from '../../support/import-transcript.ts';

type Parent = string | null;
const record = (type: string, uuid: string, parentUuid: Parent, more: object): object => ({
  type,
  uuid,
  parentUuid,
  ...more,
});
const asks = (uuid: string, parent: Parent, more: object = {}): object =>
  record('user', uuid, parent, { message: { role: 'user', content: `Ask ${uuid}` }, ...more });
const says = (uuid: string, parent: Parent): object =>
  record('assistant', uuid, parent, { message: { id: uuid, content: [{ type: 'text', text: `Say ${uuid}` }] } });
const calls = (uuid: string, parent: Parent): object =>
  record('assistant', uuid, parent, {
    message: { id: 'm1', content: [{ type: 'tool_use', id: uuid, name: 'Read', input: {} }] },
  });
const results = (uuid: string, parent: string): object =>
  record('user', uuid, parent, { message: { content: [{ type: 'tool_result', tool_use_id: parent, content: uuid }] } });

/** The UUIDs of the records whose messages are imported. The text of a prompt or response ends in its record's UUID. */
function remaining(...records: readonly object[]): string[] {
  const { said } = importRecords('claude-code', records);
  return said.map((one) => one.replace(/^\w+: (?:Ask |Say )?/, ''));
}

const FIRST = [asks('u1', null), says('a1', 'u1')];
const SECOND = [asks('u2', 'a1'), says('a2', 'u2')];

describe('a Claude Code session in which the user went back', () => {
  it('omits the turns that were undone', () => {
    assert.deepEqual(remaining(...FIRST, ...SECOND, asks('u3', 'a1')), ['u1', 'a1', 'u3']);
    assert.deepEqual(remaining(...FIRST, ...SECOND, asks('u3', 'a1'), says('a3', 'u3'), asks('u4', 'a1')), [
      'u1',
      'a1',
      'u4',
    ]);
    assert.deepEqual(remaining(...FIRST, ...SECOND, asks('u3', null), says('a3', 'u3')), ['u3', 'a3']);
  });

  it('omits them although other records come in between', () => {
    const turnEnd = (uuid: string, parent: Parent): object =>
      record('system', uuid, parent, { subtype: 'turn_duration' });
    const second = [turnEnd('s1', 'a1'), asks('u2', 's1'), says('a2', 'u2'), turnEnd('s2', 'a2')];
    for (const parent of ['s1', 'a1'])
      assert.deepEqual(remaining(...FIRST, ...second, asks('u3', parent)), ['u1', 'a1', 'u3']);
    const hook = record('attachment', 'h', null, { attachment: { type: 'hook_success' } });
    assert.deepEqual(remaining(hook, asks('u1', 'h'), says('a1', 'u1'), asks('u2', 'h')), ['u2']);
  });

  it('contains the newest branch when the user returned to one', () => {
    const other = [asks('u3', 'a1'), says('a3', 'u3')];
    assert.deepEqual(remaining(...FIRST, ...SECOND, ...other, asks('u4', 'a2')), ['u1', 'a1', 'u2', 'a2', 'u4']);
  });

  it('omits turns after a compaction only if the user went back to it', () => {
    const compacted = [
      record('system', 'c', null, { subtype: 'compact_boundary', logicalParentUuid: 'a2' }),
      asks('m', 'c', { isCompactSummary: true }),
    ];
    const all = [...FIRST, ...SECOND, ...compacted, asks('u3', 'm'), says('a3', 'u3')];
    assert.deepEqual(remaining(...all), ['u1', 'a1', 'u2', 'a2', 'u3', 'a3']);
    assert.deepEqual(remaining(...all, asks('u4', 'm')), ['u1', 'a1', 'u2', 'a2', 'u4']);
    assert.deepEqual(remaining(...all, asks('u4', 'a1')), ['u1', 'a1', 'u4']);
  });
});

describe('a Claude Code session whose records branch by themselves', () => {
  const whole = (...records: readonly object[]): void => {
    const names = records.flatMap((one) => ('message' in one && 'uuid' in one && !('isMeta' in one) ? [one.uuid] : []));
    assert.equal(remaining(...records).length, names.length);
  };

  it('contains all parallel tool calls', () => {
    const parallel = [calls('c1', 'u2'), results('r1', 'c1'), calls('c2', 'c1'), results('r2', 'c2')];
    whole(...FIRST, asks('u2', 'a1'), ...parallel, says('a2', 'r1'), asks('u3', 'a2'), says('a3', 'u3'));
  });

  it('contains a response after an error, which the next prompt does not follow', () => {
    const error = record('system', 'e', 'u2', { subtype: 'api_error' });
    whole(...FIRST, asks('u2', 'a1'), error, says('a2', 'u2'), asks('u3', 'e'), says('a3', 'u3'), asks('u4', 'a3'));
  });

  it('contains everything if a prompt follows a record that is missing, or that is in the middle of a turn', () => {
    whole(...FIRST, ...SECOND, asks('u3', 'lost'), says('a3', 'u3'));
    whole(asks('u1', null), calls('c1', 'u1'), results('r1', 'c1'), says('a1', 'r1'), ...SECOND, asks('u3', 'c1'));
    const command = record('system', 's', null, { subtype: 'local_command' });
    whole(...FIRST, ...SECOND, command, asks('u3', 's'));
  });

  it('contains everything after a continuation that the tool attached to an old message', () => {
    whole(...FIRST, ...SECOND, asks('x', 'u1', { isMeta: true }), says('a3', 'x'), asks('u3', 'a3'));
  });

  it('is not shortened by prompts that a compaction wrote again', () => {
    const timestamp = '2026-03-02T09:00:00Z';
    const replay = [asks('v2', 'a1', { timestamp }), says('b2', 'v2')];
    whole(...FIRST, asks('u2', 'a1', { timestamp }), says('a2', 'u2'), ...replay);
  });
});
