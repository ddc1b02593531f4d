import type { ChatRequest } from '../app/ports.ts';
import type { ContentBlock } from '../core/model/message.ts';

/** An image as OpenAI and its kin take it. */
export function dataUrl(image: Extract<ContentBlock, { type: 'image' }>): string {
  return `data:${image.mediaType};base64,${image.base64}`;
}

/** The blocks of the system prompt as one text, for endpoints that cache by prefix and know no blocks. */
export function systemText(request: ChatRequest): string {
  return request.system.filter((block) => block.trim() !== '').join('\n\n');
}

/**
 * Whether a schema is one that OpenAI's strict mode takes: every object closed, every property required. A schema
 * that is not is sent as a hint, since the strict mode would refuse the whole request.
 * Source: OpenAI's guide to structured outputs, "Supported schemas".
 */
export function isStrictSchema(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isStrictSchema);
  if (!isRecord(schema)) return true;
  const { properties, required } = schema;
  if (schema['type'] === 'object' || properties !== undefined) {
    if (schema['additionalProperties'] !== false || !isRecord(properties)) return false;
    const names = new Set(Array.isArray(required) ? required : []);
    if (!Object.keys(properties).every((name) => names.has(name))) return false;
    if (!Object.values(properties).every(isStrictSchema)) return false;
  }
  return ['items', 'anyOf', '$defs'].every((key) => isStrictSchemaPart(schema[key]));
}

function isStrictSchemaPart(part: unknown): boolean {
  if (isRecord(part) && !('type' in part) && !('$ref' in part) && !('anyOf' in part)) {
    return Object.values(part).every(isStrictSchema);
  }
  return isStrictSchema(part);
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
