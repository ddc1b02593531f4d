import fs from 'node:fs';
import path from 'node:path';
import { KEY_EVENT_KINDS } from '../../src/core/model/key-event.ts';
import type { KeyEventKind } from '../../src/core/model/key-event.ts';
import type { Role } from '../../src/core/model/message.ts';

export interface Labelled {
  readonly source: string;
  readonly role: Role;
  readonly before?: string;
  readonly text: string;
  readonly agreed: readonly { readonly start: number; readonly end: number; readonly kinds: readonly KeyEventKind[] }[];
  readonly single: readonly { readonly start: number; readonly end: number; readonly kind: KeyEventKind }[];
}

const MARK = /⟦([a-z/]+):|⟧/g;
const isKind = (text: string): text is KeyEventKind => (KEY_EVENT_KINDS as readonly string[]).includes(text);

/**
 * Reads lesson files: messages parted by a line of `---`, each starting with `user:`, `assistant:` or `tool:`; an optional
 * line `< …` before the speaker is the end of the message before; spans are marked ⟦kind:…⟧ (or ⟦kind/kind:…⟧).
 */
export function readLessons(folder: string): Labelled[] {
  if (!fs.existsSync(folder)) return [];
  return fs
    .readdirSync(folder)
    .filter((name) => name.endsWith('.txt'))
    .sort()
    .flatMap((name) =>
      parseLessons(fs.readFileSync(path.join(folder, name), 'utf8'), `lessons-${name.replace('.txt', '')}`),
    );
}

export function parseLessons(source: string, name: string): Labelled[] {
  return source
    .split(/^---$/m)
    .map((block) => block.trim())
    .filter((block) => block !== '')
    .map((block) => {
      let rest = block;
      let before: string | undefined;
      if (rest.startsWith('< ')) {
        const end = rest.indexOf('\n');
        before = rest.slice(2, end).replaceAll('⏎', '\n');
        rest = rest.slice(end + 1);
      }
      const role = /^(user|assistant|tool): ?/.exec(rest);
      if (role === null) throw new Error(`${name}: a message without a speaker: ${block.slice(0, 60)}`);
      const { text, spans } = unmark(rest.slice(role[0].length), name);
      return {
        source: name,
        role: role[1] as 'user' | 'assistant' | 'tool',
        ...(before === undefined ? {} : { before }),
        text,
        agreed: spans,
        single: [],
      };
    });
}

/** Takes the marks out of a text and gives their spans. */
export function unmark(
  marked: string,
  name: string,
): { text: string; spans: { start: number; end: number; kinds: KeyEventKind[] }[] } {
  let text = '';
  let last = 0;
  const spans: { start: number; end: number; kinds: KeyEventKind[] }[] = [];
  let open: { start: number; kinds: KeyEventKind[] } | undefined;
  for (const match of marked.matchAll(MARK)) {
    text += marked.slice(last, match.index);
    last = match.index + match[0].length;
    if (match[1] !== undefined) {
      const kinds = match[1].split('/').map((kind) => {
        if (!isKind(kind)) throw new Error(`${name}: no such kind: ${kind}`);
        return kind;
      });
      open = { start: text.length, kinds };
    } else if (open !== undefined) {
      spans.push({ start: open.start, end: text.length, kinds: open.kinds });
      open = undefined;
    }
  }
  text += marked.slice(last);
  return { text, spans };
}

/** Spans marked by reading transcripts that are not part of the project: `[start, end, "kind/kind"]` by message. */
export function readReadings(file: string, transcripts: string): Labelled[] {
  if (!fs.existsSync(transcripts)) return [];
  const bySource = new Map<string, Map<number, { role: Role; content: string; before?: string }>>();
  const messages = (source: string): Map<number, { role: Role; content: string; before?: string }> => {
    const known = bySource.get(source);
    if (known !== undefined) return known;
    const found = new Map<number, { role: Role; content: string; before?: string }>();
    let before: string | undefined;
    for (const line of fs.readFileSync(path.join(transcripts, source), 'utf8').split('\n')) {
      if (line.trim() === '') continue;
      const row = JSON.parse(line) as { i: number; role: Role; content: string };
      found.set(row.i, { role: row.role, content: row.content, ...(before === undefined ? {} : { before }) });
      before = row.content;
    }
    bySource.set(source, found);
    return found;
  };
  return fs
    .readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .flatMap((line) => {
      const { source, message, spans } = JSON.parse(line) as {
        source: string;
        message: number;
        spans: [number, number, string][];
      };
      const row = messages(source).get(message);
      if (row === undefined) return [];
      return [
        {
          source,
          role: row.role,
          ...(row.before === undefined ? {} : { before: row.before }),
          text: row.content,
          agreed: spans.map(([start, end, kinds]) => ({ start, end, kinds: kinds.split('/').filter(isKind) })),
          single: [],
        },
      ];
    });
}
