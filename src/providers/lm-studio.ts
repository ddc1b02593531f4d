import { isObject, objectsAt, valueAt } from '../core/text/json-value.ts';
import { askServer } from './http.ts';
import type { ListedModel } from './listed-model.ts';

/** Whether an entry of a model list may be LM Studio's (lmstudio-ai/lmstudio-bug-tracker#2139). */
export const isLmStudioEntry = (owner: unknown): boolean => owner === 'organization_owner';

/**
 * LM Studio's facts about a model (lmstudio.ai/docs/developer/rest/list), because its OpenAI-compatible list has only
 * IDs. A model that isn't loaded gets a context window when it's loaded for the first request, so the maximum that it
 * supports says nothing. Undefined if the server isn't LM Studio 0.4 or later, or doesn't know the model.
 */
export async function lmStudioFacts(
  origin: string,
  model: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Pick<ListedModel, 'isUnloaded' | 'loadedContext' | 'facts'> | undefined> {
  const answer = await askServer(`${origin}/api/v1/models`, { headers, signal });
  for (const each of objectsAt(answer, 'models')) {
    const instances = objectsAt(each, 'loaded_instances');
    const instance = instances.find(({ id }) => id === model);
    if (instance === undefined && each['key'] !== model) continue;
    const loaded = valueAt(instance ?? instances[0], 'config', 'context_length');
    const capabilities = valueAt(each, 'capabilities');
    return {
      ...(typeof loaded === 'number' ? { loadedContext: loaded } : { isUnloaded: true }),
      facts: {
        ...(typeof loaded === 'number' && { contextWindow: loaded }),
        ...(isObject(capabilities) && { takesImages: capabilities['vision'] === true }),
      },
    };
  }
  return undefined;
}
