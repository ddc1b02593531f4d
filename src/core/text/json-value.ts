export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/** The value at a path of keys; undefined if a value on the way isn't an object. */
export const valueAt = (value: unknown, ...keys: readonly string[]): unknown =>
  keys.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), value);

/** The text at a path of keys, or without keys the value itself; undefined if it isn't a string. */
export function textAt(value: unknown, ...keys: readonly string[]): string | undefined {
  const text = valueAt(value, ...keys);
  return typeof text === 'string' ? text : undefined;
}

/** The objects in the list at a path. */
export function objectsAt(value: unknown, ...keys: readonly string[]): readonly JsonObject[] {
  const list = valueAt(value, ...keys);
  return isList(list) ? list.filter(isObject) : [];
}

/** Removes undefined properties, so that they don't overwrite known ones. */
export function withoutUndefined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}

/** Parses JSON; undefined if it's invalid or nested too deeply. */
export function tryParse(text: string): unknown {
  if (isTooDeep(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Deeper nesting could overflow the stack and doesn't occur in conversations. */
const MAX_DEPTH = 500;

/** Whether JSON is nested more than `MAX_DEPTH` levels deep. Linear. */
export function isTooDeep(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (inString) {
      if (unit === BACKSLASH) at++;
      else if (unit === QUOTE) inString = false;
    } else if (unit === QUOTE) inString = true;
    else if (unit === BRACKET || unit === BRACE) {
      if (++depth > MAX_DEPTH) return true;
    } else if (unit === BRACKET + 2 || unit === BRACE + 2) depth--;
  }
  return false;
}

const QUOTE = 34;
const BRACKET = 91;
const BACKSLASH = 92;
const BRACE = 123;
