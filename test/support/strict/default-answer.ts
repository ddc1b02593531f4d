import { isObject } from '../../../src/core/text/json-value.ts';
import type { ModelRequest } from './strict-server.ts';

/** A sentence of words from the prompt, as many as it requests. With a schema, JSON with it in all strings. */
export function defaultAnswer({ prompt, schema }: ModelRequest): string {
  const asked = [...prompt.matchAll(/\b(\d+) words\b/g)].at(-1)?.[1];
  const words = prompt.split(/\s+/).filter((word) => /^[\p{L}]{3,}[.,]?$/u.test(word));
  const told = asked === undefined ? words.slice(-60, -20) : words.slice(-Number(asked) - 20, -20);
  const sentence = `They spoke of ${told.join(' ').replace(/[.,]/g, '') || 'nothing much'}.`;
  return schema === undefined ? sentence : JSON.stringify(ofSchema(schema, sentence));
}

function ofSchema(schema: unknown, sentence: string): unknown {
  if (!isObject(schema)) return sentence;
  const { type, properties, anyOf } = schema;
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  if (Array.isArray(anyOf)) return ofSchema(anyOf[0], sentence);
  const name: unknown = Array.isArray(type) ? (type.includes('null') ? 'null' : type[0]) : type;
  if (isObject(properties))
    return Object.fromEntries(Object.entries(properties).map(([key, each]) => [key, ofSchema(each, sentence)]));
  if (name === 'array') return [];
  if (name === 'null') return null;
  if (name === 'boolean') return true;
  return name === 'integer' || name === 'number' ? 1 : sentence;
}
