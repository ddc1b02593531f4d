/** What code defines, as a reader would call it. */
export type DefinitionKind = 'function' | 'type' | 'class' | 'constant' | 'test';

const KINDS: readonly { readonly kind: DefinitionKind; readonly pattern: RegExp; readonly anywhere?: true }[] = [
  { kind: 'test', pattern: /^\s*--- (?:PASS|FAIL|SKIP): (\w+)/ },
  { kind: 'test', pattern: /\b(?:func|def)\s+([Tt]est\w+)/, anywhere: true },
  { kind: 'function', pattern: /\bfunc\s+(?:\([^)]*\)\s*)?([A-Za-z_]\w*)/, anywhere: true },
  { kind: 'function', pattern: /\b(?:function\*?|def|fn)\s+([A-Za-z_$][\w$]*)/, anywhere: true },
  { kind: 'class', pattern: /\bclass\s+([A-Za-z_$][\w$]*)/, anywhere: true },
  { kind: 'type', pattern: /\b(?:interface|struct|enum|trait|type)\s+([A-Za-z_$][\w$]*)/, anywhere: true },
  { kind: 'constant', pattern: /^(?:[+-] ?)?(?:export\s+)?const\s+([A-Za-z_$][\w$]*)/ },
  { kind: 'constant', pattern: /^(?:[+-] ?)?\t*([A-Z][A-Za-z0-9_]{4,})\s*(?:\w+\s*)?=\s*["'\d]/ },
];

/** What the patterns for anywhere in a line begin with: looked for once, since most lines have none. */
const KEYWORD = /\b(?:func|def|function\*?|fn|class|interface|struct|enum|trait|type)\s/;

/** Longer lines are no definitions. */
const MAX_LINE_LENGTH = 200;

/** The name that a line of code defines, if it defines one. */
export function definitionIn(line: string): { readonly kind: DefinitionKind; readonly name: string } | undefined {
  if (line.length > MAX_LINE_LENGTH) return undefined;
  const isNamed = KEYWORD.test(line);
  for (const { kind, pattern, anywhere } of KINDS) {
    if (anywhere === true && !isNamed) continue;
    const name = pattern.exec(line)?.[1];
    if (name !== undefined && name.length > 2) return { kind, name };
  }
  return undefined;
}

/** Names to a sentence: enough to place them, few enough that a sentence can be left out. */
const NAMES_PER_SENTENCE = 5;

/** Sentences of one message: a whole file's listing is a table of contents, not a summary. */
const MAX_SENTENCES = 16;

/** Collects what the code of one message defines, by file, and says it in sentences. */
export class Definitions {
  private readonly byFile = new Map<string, Map<DefinitionKind, Set<string>>>();

  add(file: string, kind: DefinitionKind, name: string): void {
    let kinds = this.byFile.get(file);
    if (!kinds) this.byFile.set(file, (kinds = new Map<DefinitionKind, Set<string>>()));
    const names = kinds.get(kind);
    if (names) names.add(name);
    else kinds.set(kind, new Set([name]));
  }

  /** "pkg/store.go has the functions OpenStore() and Close()": names with their kind and their place. */
  sentences(): string[] {
    const said: string[] = [];
    for (const [file, kinds] of this.byFile) {
      for (const [kind, names] of kinds) {
        const all = Array.from(names, (name) => (kind === 'function' ? `${name}()` : name));
        for (let at = 0; at < all.length && said.length < MAX_SENTENCES; at += NAMES_PER_SENTENCE) {
          const some = all.slice(at, at + NAMES_PER_SENTENCE);
          const place = file === '' ? 'The code shown there' : `The file ${file}`;
          said.push(`${place} has the ${kind}${some.length > 1 ? 's' : ''} ${some.join(' and ')}.`);
        }
      }
    }
    return said;
  }
}

/** What stands between the words of a line that may be paths. */
const BETWEEN = /[\s`"'(),:;*=<>[\]]+/;

/** A path or a name with a file's extension. */
const FILE = /^(?=.*[\w@]\.)[~\w@.+/-]{2,}\.[A-Za-z][A-Za-z0-9]{0,7}$/;

/** A host's name is no file's. */
const HOST = /^[^/]*\.(?:com|org|net|io|dev)$/;

/** The file that a short line names: a call's argument, a heading before a block of code, a diff's header. Linear. */
export function fileIn(line: string): string | undefined {
  if (line.length > MAX_LINE_LENGTH || !line.includes('.')) return undefined;
  for (const word of line.split(BETWEEN)) {
    if (word.includes('.') && FILE.test(word) && !HOST.test(word) && !word.includes('//'))
      return word.replace(/^\.\//, '');
  }
  return undefined;
}
