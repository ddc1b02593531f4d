// Runs ten turns and one compression with a real service and your API key, and compares the results with the tests'
// strict server:
//   npm run live -- openai|anthropic|compatible [--model M] [--base-url U]
// The key comes from OPENAI_API_KEY or ANTHROPIC_API_KEY. With the default models, a run costs about a tenth of a cent.
import { parseArgs } from 'node:util';
import { differences, LIVE_PROVIDERS, liveConfig, liveLine, runLive, runStrict } from './live/run-live.ts';
import { ExpectedError, runMain } from './support/expected-error.ts';

await runMain(async () => {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { model: { type: 'string' }, 'base-url': { type: 'string' } },
  });
  const provider = LIVE_PROVIDERS.find((one) => one === positionals[0]);
  const baseUrl = values['base-url'];
  if (!provider) throw new ExpectedError(`Name a provider: ${LIVE_PROVIDERS.join(', ')}.`);
  const apiKey = process.env[provider === 'anthropic' ? 'ANTHROPIC_API_KEY' : 'OPENAI_API_KEY'];
  if (provider === 'compatible' && (baseUrl === undefined || values.model === undefined))
    throw new ExpectedError('A compatible server needs --base-url and --model.');
  if (provider !== 'compatible' && baseUrl === undefined && (apiKey ?? '') === '')
    throw new ExpectedError(`Set ${provider === 'anthropic' ? 'ANTHROPIC_API_KEY' : 'OPENAI_API_KEY'}.`);
  const options = {
    ...(values.model !== undefined && { model: values.model }),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(apiKey !== undefined && { apiKey }),
  };
  const config = liveConfig(provider, options);
  console.log(`${config.model} at ${baseUrl ?? provider}`);
  const real = await runLive(config);
  for (const result of real) console.log(liveLine(result));
  const strict = await runStrict(config);
  const server = `the strict server${strict.model === config.model ? '' : ` with ${strict.model}`}`;
  const found = differences(real, strict.results);
  console.log(
    found.length === 0 ? `\nNo differences from ${server}.` : `\nDiffers from ${server}:\n${found.join('\n')}`,
  );
});
