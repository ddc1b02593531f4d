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
