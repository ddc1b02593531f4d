import assert from 'node:assert/strict';
import { createLookUp } from '../../../src/webview/markdown/look-up.ts';

describe('a formula in the chat', () => {
  it('is rendered once while it is in use, and again if a thousand others were shown since', async () => {
    const rendered: string[] = [];
    const lookUp = createLookUp(50, (keys) => {
      rendered.push(...keys);
      return Promise.resolve(keys.map((key) => [key, `<math>${key}</math>`] as const));
    });
    /** Shows formulas, and resolves to those that the host had to render. */
    const show = async (...formulas: readonly string[]): Promise<readonly string[]> => {
      rendered.length = 0;
      const shown = formulas.map(
        (key) => new Promise<string>((resolve) => lookUp({ isConnected: true }, key, resolve)),
      );
      assert.deepEqual(
        await Promise.all(shown),
        formulas.map((key) => `<math>${key}</math>`),
      );
      return [...rendered];
    };
    const numbered = (from: number, to: number): string[] =>
      Array.from({ length: to - from }, (_, index) => `x_{${from + index}}`);
    assert.equal((await show(...numbered(0, 1_000))).length, 1_000);
    assert.deepEqual(await show('x_{0}', 'x_{999}'), []);
    assert.equal((await show(...numbered(1_000, 1_500))).length, 500);
    assert.deepEqual(await show('x_{0}', 'x_{1}', 'x_{1499}'), ['x_{1}']);
  });
});
