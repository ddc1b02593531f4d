import assert from 'node:assert/strict';
import type { Memento } from 'vscode';
import { sessionId, type SessionId } from '../../../src/core/model/ids.ts';
import { calibrations as calibrationsIn } from '../../../src/host/models/calibrations.ts';
import type { ChosenModel } from '../../../src/host/models/models.ts';

const CUT = { observations: [], serverWindow: 2_500 };
const at = (provider: ChosenModel['provider'], model: string, baseUrl = ''): ChosenModel => ({
  provider,
  model,
  baseUrl,
});

const [A, B] = [sessionId('a'), sessionId('b')];

/** The calibration stored before for these models. */
const kept = (...keys: readonly string[]): Memento => ({
  keys: () => [],
  get: () => keys.map((key) => [key, CUT]) as never,
  update: () => Promise.resolve(),
});

describe('stored token calibrations', () => {
  it('assume no prompt truncation by a vendor, at any of its own addresses', () => {
    const calibrations = calibrationsIn(kept('openai/gpt-6-luna', 'anthropic/claude-sonnet-5-5'));
    const vendors = [
      at('openai', 'gpt-6-luna'),
      at('openai', 'gpt-6-luna', 'https://eu.api.openai.com/v1'),
      at('anthropic', 'claude-sonnet-5-5'),
      at('anthropic', 'claude-sonnet-5-5', 'https://api.anthropic.com'),
    ];
    for (const chosen of vendors) assert.equal(calibrations.of(chosen, A)?.serverWindow, undefined);
  });

  it('keep a factor for each session, and share what is known about the server', () => {
    const calibrations = calibrationsIn(kept());
    const model = at('compatible', 'llama3', 'http://localhost:8000/v1');
    const report = (session: SessionId, tokens: number, factor: number) =>
      calibrations.of(model, session)?.observe({ tokens, reported: Math.round(tokens * factor) });
    for (let turn = 1; turn < 6; turn++) {
      report(A, 1_000 * turn, 1.3);
      report(B, 1_000 * turn, 1);
    }
    assert.equal(calibrations.of(model, A)?.estimate(4_000), 5_200);
    assert.equal(calibrations.of(model, B)?.estimate(4_000), 4_000);
    calibrations.of(model, A);
    assert.equal(calibrations.of(model, sessionId('new'))?.estimate(4_000), 5_200, 'like the session used last');
    for (const tokens of [6_000, 7_000]) calibrations.of(model, B)?.observe({ tokens, reported: 5_000 });
    assert.equal(calibrations.of(model, A)?.serverWindow, 5_000);
  });

  it('keep the factors of the hundred sessions used last', () => {
    const calibrations = calibrationsIn(kept());
    const model = at('openai', 'gpt-6-luna');
    const sessions = Array.from({ length: 101 }, (_, number) => sessionId(`s${number}`));
    for (const session of sessions) assert.ok(calibrations.of(model, session));
    const isKept = (session: SessionId, known: unknown): boolean => calibrations.of(model, session) === known;
    const newest = sessions.slice(1).map((session) => [session, calibrations.of(model, session)] as const);
    calibrations.of(model, sessions[0]!);
    assert.equal(newest.slice(1).filter(([session, known]) => isKept(session, known)).length, 99);
    assert.ok(!isKept(...newest[0]!));
  });

  it('forget a server’s window when its model is selected again, even after a restart', () => {
    const url = 'http://localhost:11434/v1';
    const saved: unknown[] = [];
    const update = (_: string, value: unknown): Promise<void> => Promise.resolve(void saved.push(value));
    const calibrations = calibrationsIn({ ...kept(`compatible/llama3 ${url}`), update });
    calibrations.forgetContextWindow(at('compatible', 'llama3', url));
    assert.equal(calibrations.of(at('compatible', 'llama3', url), A)?.serverWindow, undefined);
    calibrations.save();
    assert.deepEqual(saved, [[[`compatible/llama3 ${url}`, { observations: [] }]]]);
  });

  it('apply a server’s window to that server, not to another with a model of the same name', () => {
    const url = 'http://localhost:11434/v1';
    const calibrations = calibrationsIn(kept(`compatible/llama3 ${url}`, `openai/gpt-6-luna ${url}`));
    assert.equal(calibrations.of(at('compatible', 'llama3', url), A)?.serverWindow, 2_500);
    assert.equal(calibrations.of(at('openai', 'gpt-6-luna', url), A)?.serverWindow, 2_500);
    assert.equal(calibrations.of(at('compatible', 'llama3', 'http://localhost:8000/v1'), A)?.serverWindow, undefined);
  });
});
