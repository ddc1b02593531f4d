// Generates src/core/tokens/model-data.json from the package @earendil-works/pi-ai (MIT), which is released weekly with
// data from models.dev and the vendors' own lists. The package isn't a dependency, because it depends on eight vendors'
// SDKs.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import * as v from 'valibot';
import { EFFORTS } from '../src/core/tokens/model-facts.ts';
import { retirementOf } from '../src/core/tokens/model-info.ts';
import { root } from './support/paths.ts';
import { runMain } from './support/expected-error.ts';

const PACKAGE = '@earendil-works/pi-ai';
const TARGET = path.join(root, 'src', 'core', 'tokens', 'model-data.json');

/** Vendors whose own addresses support one of our protocols, and OpenRouter, which lists the models of all others. */
const VENDORS = [
  ...['openai', 'anthropic', 'google', 'deepseek', 'mistral', 'xai', 'moonshotai', 'zai', 'groq', 'cerebras'],
  ...['minimax', 'openrouter'],
];
/** Services whose lists also contain the vendors' models, and have larger context windows for some. */
const WINDOW_SOURCES = ['openrouter', 'vercel-ai-gateway', 'azure'];

const rate = v.object({ input: v.number(), output: v.number(), cacheRead: v.number(), cacheWrite: v.number() });
const tier = v.object({ ...rate.entries, inputTokensAbove: v.number() });
const modelSchema = v.object({
  type: v.literal('chat'),
  id: v.string(),
  reasoning: v.boolean(),
  input: v.array(v.string()),
  cost: v.object({ ...rate.entries, tiers: v.optional(v.array(tier)) }),
  contextWindow: v.number(),
  maxTokens: v.number(),
  thinkingLevelMap: v.optional(v.record(v.string(), v.nullable(v.string()))),
  compat: v.optional(
    v.object({
      forceAdaptiveThinking: v.optional(v.boolean()),
      supportsExplicitPromptCacheMode: v.optional(v.boolean()),
    }),
  ),
});
type Model = v.InferOutput<typeof modelSchema>;

async function main(): Promise<void> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'models-'));
  const run = promisify(execFile);
  try {
    const { stdout } = await run('npm', ['view', PACKAGE, 'version', 'time', '--json'], { cwd: folder });
    const { version, time } = v.parse(
      v.object({ version: v.string(), time: v.record(v.string(), v.string()) }),
      JSON.parse(stdout),
    );
    await run('npm', ['pack', `${PACKAGE}@${version}`, '--silent'], { cwd: folder });
    await run('tar', ['xzf', `earendil-works-pi-ai-${version}.tgz`], { cwd: folder });
    const read = async (vendor: string): Promise<Model[]> => {
      const file = path.join(folder, 'package', 'dist', 'providers', 'data', `${vendor}.json`);
      const lists = v.parse(
        v.record(v.string(), v.record(v.string(), v.unknown())),
        JSON.parse(await readFile(file, 'utf8')),
      );
      return Object.values(lists)
        .flatMap((list) => Object.values(list))
        .flatMap((model) => (v.is(modelSchema, model) ? model : []));
    };
    const date = (time[version] ?? '').slice(0, 10);
    const windows = new Map<string, number>();
    for (const vendor of WINDOW_SOURCES)
      for (const { id, contextWindow } of await read(vendor)) {
        const bare = bareId(id);
        windows.set(bare, Math.max(windows.get(bare) ?? 0, contextWindow));
      }
    const rows = new Map<string, string>();
    const bare = new Set<string>();
    for (const vendor of VENDORS) {
      for (const model of await read(vendor)) {
        const id = model.id.toLowerCase();
        const retires = retirementOf(id);
        if (retires !== undefined && retires.on <= date) continue;
        if (rows.has(id) || (vendor === 'openrouter' && bare.has(bareId(id)))) continue;
        bare.add(bareId(id));
        rows.set(id, rowOf(vendor, model, windows.get(bareId(id)) ?? 0));
      }
    }
    const data = { source: `${PACKAGE} ${version}`, licence: 'MIT', date, models: [...rows.values()].sort() };
    await writeFile(TARGET, `${JSON.stringify(data, undefined, 2)}\n`);
    console.log(`Wrote ${rows.size} models of ${PACKAGE} ${version}, ${date}.`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** `anthropic/claude-opus-5.5:batch` is Anthropic's `claude-opus-5-5`. */
const bareId = (id: string): string =>
  id
    .toLowerCase()
    .replace(/^.*\//, '')
    .replace(/:.*$/, '')
    .replace(/(?<=claude.*\d)\.(?=\d)/g, '-');

/** Fields in the order in which `factsOf` in model-info.ts reads them. */
function rowOf(vendor: string, model: Model, elsewhere: number): string {
  const { id, cost, contextWindow, maxTokens, input, compat } = model;
  // For models with a higher price for long requests, the package states the limit of the lower price, although the
  // context window is larger. OpenAI's pages state a maximum input for them: the window minus the maximum output
  // (1,050,000 and 922,000; 400,000 and 272,000).
  const window = Math.max(contextWindow, vendor === 'openai' ? elsewhere : 0);
  const maxInput = vendor === 'openai' && window >= 400_000 && maxTokens === 128_000 ? window - maxTokens : '';
  const rates = ({ input: plain, output, cacheRead, cacheWrite }: v.InferOutput<typeof rate>): string =>
    // An alias's prices may come from different models, so that reading from the cache seems to cost more than input.
    [plain, output, Math.min(cacheRead, plain) || '', cacheWrite || ''].join('/');
  const long = cost.tiers?.[0];
  const flags = [input.includes('image') && 'image', compat?.supportsExplicitPromptCacheMode && 'breakpoints'];
  return [
    id.toLowerCase(),
    vendor,
    window,
    Math.min(maxTokens, window),
    maxInput,
    cost.input < 0 ? '' : rates(cost),
    long === undefined ? '' : `${long.inputTokensAbove}:${rates(long)}`,
    efforts(vendor, model),
    flags.filter(Boolean).join(' '),
  ].join('|');
}

/** The supported efforts; `-` if the model only reasons on request, and empty if it reasons but the effort can't be set. */
function efforts(vendor: string, { reasoning, thinkingLevelMap: map, compat }: Model): string {
  if (!reasoning) return '-';
  if (vendor === 'openai') {
    const named = Object.entries(map ?? {}).flatMap(([, name]) => name ?? []);
    return EFFORTS.filter((effort) => named.includes(effort)).join(' ');
  }
  if (vendor === 'anthropic') {
    if (compat?.forceAdaptiveThinking !== true) return '-';
    return EFFORTS.filter((effort) => {
      if (effort === 'none') return map?.['off'] !== null;
      if (effort === 'minimal') return false;
      return effort === 'xhigh' || effort === 'max' ? (map?.[effort] ?? null) !== null : true;
    }).join(' ');
  }
  return '';
}

await runMain(main);
