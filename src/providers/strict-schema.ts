import { isObject } from '../core/text/json-value.ts';

/**
 * Whether the providers can enforce a schema: all objects are closed, and all properties required. Otherwise, they
 * would reject the request. Sources: OpenAI's guide to structured outputs, "Supported schemas"; Anthropic's, "JSON
 * Schema limitations".
 */
export function isStrictSchema(schema: unknown): boolean {
  if (!isObject(schema)) return true;
  const { type, properties, required, additionalProperties, items, anyOf, $defs } = schema;
  if (type === 'object' || properties !== undefined) {
    if (additionalProperties !== false || !isObject(properties)) return false;
    const names = new Set(Array.isArray(required) ? required : []);
    if (!Object.keys(properties).every((name) => names.has(name))) return false;
  }
  return [properties, $defs, anyOf].every(areStrict) && isStrictSchema(items);
}

function areStrict(schemas: unknown): boolean {
  if (Array.isArray(schemas)) return schemas.every(isStrictSchema);
  return !isObject(schemas) || Object.values(schemas).every(isStrictSchema);
}
