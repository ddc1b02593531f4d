/** Whether a value is a JSON object, with members of any type. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Whether the providers can enforce a schema: all objects are closed, and all properties required. Otherwise, they
 * would reject the request. Sources: OpenAI's guide to structured outputs, "Supported schemas"; Anthropic's, "JSON
 * Schema limitations".
 */
export function isStrictSchema(schema: unknown): boolean {
  if (!isRecord(schema)) return true;
  const { type, properties, required, additionalProperties, items, anyOf, $defs } = schema;
  if (type === 'object' || properties !== undefined) {
    if (additionalProperties !== false || !isRecord(properties)) return false;
    const names = new Set(Array.isArray(required) ? required : []);
    if (!Object.keys(properties).every((name) => names.has(name))) return false;
  }
  return [properties, $defs, anyOf].every(areStrict) && isStrictSchema(items);
}

/** Schemas in a list or an object. */
function areStrict(schemas: unknown): boolean {
  if (Array.isArray(schemas)) return schemas.every(isStrictSchema);
  return !isRecord(schemas) || Object.values(schemas).every(isStrictSchema);
}
