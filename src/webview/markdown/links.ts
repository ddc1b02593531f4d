/** Where a link leads: out of the editor, into the workspace, to a message, or nowhere that this page would go. */
export type LinkTarget =
  | { readonly kind: 'web'; readonly href: string }
  | { readonly kind: 'file'; readonly path: string; readonly line?: number; readonly column?: number }
  | { readonly kind: 'message'; readonly href: string }
  | { readonly kind: 'refused' };

const WEB_SCHEMES = new Set(['http:', 'https:', 'mailto:']);
/** What the answers of the local provider cite: a message of this session, by its id. Only the host knows it. */
const MESSAGE = /^threadkeeper:message\/[\w-]{1,200}$/;
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
/** `src/a.ts`, `./a.ts:12`, `C:\x\a.ts`, `a.ts#L12`, `lib/x.py:3:14`; the line may come as a range, whose start counts. */
const FILE =
  /^(?<path>(?:[A-Za-z]:(?=[\\/]))?[^\s:#?"'<>|*]+?)(?:(?::|#L)(?<line>\d{1,7})(?::(?<column>\d{1,5}))?(?:-L?\d{1,7})?)?$/;
const EXTENSION = /\.[A-Za-z][A-Za-z0-9]{0,7}$/;
const KNOWN_NAMES = /^(?:Makefile|Dockerfile|LICENSE|Gemfile|Rakefile|Justfile|Procfile)$/;

/** Reads the target of a markdown link. Control characters and spaces that browsers would skip make it refused. */
export function linkTarget(href: string): LinkTarget {
  const text = decode(href);
  if (text === undefined || hasControl(text)) return { kind: 'refused' };
  if (MESSAGE.test(text)) return { kind: 'message', href: text };
  if (SCHEME.test(text) && !/^[A-Za-z]:[\\/]/.test(text) && !isFileWithLine(text)) {
    const url = URL.canParse(href) ? new URL(href) : undefined;
    // `url.href` carries the host in ASCII (punycode), so that look-alike letters cannot hide in it.
    return url && WEB_SCHEMES.has(url.protocol) ? { kind: 'web', href: url.href } : { kind: 'refused' };
  }
  return fileTarget(text) ?? { kind: 'refused' };
}

/** Reads inline text as the name of a file; undefined when it does not look like one. */
export function filePath(text: string): Extract<LinkTarget, { kind: 'file' }> | undefined {
  if (text.length > 300 || text.includes('://') || hasControl(text)) return undefined;
  const target = fileTarget(text);
  if (!target) return undefined;
  const name = target.path.replace(/^.*[/\\]/, '');
  const namesFile = EXTENSION.test(name) || KNOWN_NAMES.test(name);
  // `e.g` and `Node.js` are words; a slash or a line number says that a file is meant.
  return namesFile && (/[/\\]/.test(target.path) || target.line !== undefined) ? target : undefined;
}

function fileTarget(text: string): Extract<LinkTarget, { kind: 'file' }> | undefined {
  const found = FILE.exec(text)?.groups;
  const path = found?.path;
  // The host is asked whether the file exists before anyone clicks: none of `\\server\share` or `//server/share`.
  if (!path || /^[./\\]+$/.test(path) || /^(?:\\|\/[\\/])/.test(path)) return undefined;
  return {
    kind: 'file',
    path,
    ...(found.line !== undefined && { line: Math.max(1, Number(found.line)) }),
    ...(found.column !== undefined && { column: Math.max(1, Number(found.column)) }),
  };
}

/** `a.ts:12` reads like a scheme; a dot in the name and digits after the colon say that it is a file. */
const isFileWithLine = (text: string): boolean => /^[\w.-]+\.[A-Za-z]\w{0,7}:\d+(?::\d+)?(?:-\d+)?$/.test(text);

function decode(href: string): string | undefined {
  try {
    return decodeURIComponent(href);
  } catch {
    return undefined;
  }
}

const hasControl = (text: string): boolean => /[\t\n\r]/.test(text) || text.search(HIDDEN_CHARACTERS) !== -1;

/**
 * Characters that are not seen but change what is seen or done: C0/C1 controls, bidirectional overrides and isolates,
 * zero-width marks. CVE-2021-42574 ("Trojan Source") is about the bidirectional ones. Tab and line breaks are not
 * hidden, U+200C/U+200D are letters' business.
 */
export const HIDDEN_CHARACTERS =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/;

/** The name by which a hidden character is shown, such as `U+202E`. */
export const characterName = (character: string): string =>
  `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
