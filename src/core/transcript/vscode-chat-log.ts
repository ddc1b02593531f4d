import { phrase } from '../text/phrase.ts';
import { isList, isObject, tryParse, type JsonObject } from './json-value.ts';
import { TranscriptError } from './transcript-message.ts';

/** True for the first line of a chat session that VS Code keeps as a log of changes (`chatSessions/*.jsonl`). */
export function isVsCodeChatLog(record: unknown): record is JsonObject {
  return isObject(record) && record['kind'] === 0 && isObject(record['v']) && 'requests' in record['v'];
}

type Path = readonly (string | number)[];

/**
 * The session that a log of changes stands for (`objectMutationLog.ts` in microsoft/vscode): kind 0 is the whole
 * object, 1 sets the value at a path, 2 cuts a list at `i` and appends to it, 3 deletes. The last line may still be in
 * the middle of being written. Throws `TranscriptError`.
 */
export function replayVsCodeChatLog(text: string): unknown {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  let state: unknown;
  for (const [index, line] of lines.entries()) {
    const entry = tryParse(line);
    if (entry === undefined && index === lines.length - 1 && index > 0) break;
    const kind = isObject(entry) ? entry['kind'] : undefined;
    const path = isObject(entry) ? pathOf(entry['k']) : undefined;
    if (!isObject(entry)) throw new TranscriptError(phrase('Line {0} is damaged.', index + 1));
    if (kind === 0) state = entry['v'];
    else if (kind === 1 && path) state = setAt(state, path, () => entry['v']);
    else if (kind === 2 && path) state = setAt(state, path, (list) => spliced(list, entry['v'], entry['i']));
    else if (kind === 3 && path) state = setAt(state, path, () => undefined);
    else throw new TranscriptError(phrase('Line {0} is damaged.', index + 1));
  }
  return state;
}

function pathOf(value: unknown): Path | undefined {
  if (!isList(value)) return undefined;
  const keys = value.filter((key) => typeof key === 'string' || typeof key === 'number');
  return keys.length === value.length ? keys : undefined;
}

function spliced(list: unknown, added: unknown, at: unknown): unknown[] {
  const kept = isList(list) ? list.slice(0, typeof at === 'number' ? at : undefined) : [];
  return [...kept, ...(isList(added) ? added : [])];
}

function setAt(target: unknown, [key, ...rest]: Path, change: (before: unknown) => unknown): unknown {
  if (key === undefined) return change(target);
  if (typeof key === 'number') {
    const list = isList(target) ? [...target] : [];
    list[key] = setAt(list[key], rest, change);
    return list;
  }
  const object = isObject(target) ? target : {};
  return { ...object, [key]: setAt(object[key], rest, change) };
}
