import assert from 'node:assert/strict';
import path from 'node:path';
import { root } from '../../../scripts/support/paths.ts';
import { runNode } from '../../../scripts/support/processes.ts';
import { checkDefaultModels, checkModelMentions, checkModels } from '../../../scripts/models/check-models.ts';
import modelData from '../../../src/core/tokens/model-data.json' with { type: 'json' };

const TODAY = Date.parse(modelData.date);

describe('check of the models named in the project', () => {
  it('finds no problems on the date of the model data', () => assert.deepEqual(checkModels(root, TODAY), []));

  it('fails when a default model retires within 60 days or is in no data file', () => {
    assert.deepEqual(checkDefaultModels(Date.parse('2026-10-11'), ['gpt-5-nano']), []);
    assert.match(checkDefaultModels(Date.parse('2026-10-13'), ['gpt-5-nano'])[0] ?? '', /2026-12-11: use gpt-6-luna/);
    assert.match(checkDefaultModels(0, ['gpt-9'])[0] ?? '', /isn’t in the model data/);
  });

  it('is part of `npm run check`, which fails on a retired default model', async () => {
    const today = `data:text/javascript,Date.now = () => ${TODAY}`;
    const imports = [today, './test/support/text-loader.mjs', './test/faults/plant.mjs'];
    const run = (fault?: object) =>
      runNode([...imports.flatMap((one) => ['--import', one]), 'scripts/check.ts', 'models'], {
        cwd: root,
        env: { ...process.env, PLANTED_FAULT: JSON.stringify({ seed: 1, fault }) },
      });
    assert.deepEqual((await run()).output.trim(), 'ok      models');
    const file = path.join(root, 'src/core/tokens/model-info.ts');
    const { code, output } = await run({ file, find: "summary: 'gpt-6-luna'", put: "summary: 'gpt-5-nano'" });
    assert.equal(code, 1);
    assert.match(output, /FAILED {2}models\ngpt-5-nano is a default and is retired on 2026-12-11: use gpt-6-luna/);
  });

  it('reports the retired models named in a file, and no others', () => {
    const text = '"default": "gpt-4", "gpt-4o-mini", "gpt-4-turbo-x", claude-sonnet-4-6, `o4-mini`';
    assert.deepEqual(checkModelMentions(Date.parse('2026-11-01'), [['package.json', text]]), [
      'package.json names gpt-4, retired on 2026-10-23',
      'package.json names o4-mini, retired on 2026-10-23',
    ]);
    assert.deepEqual(checkModelMentions(Date.parse('2026-10-01'), [['package.json', text]]), []);
  });
});
