/** The target of a link; `refused` if it can't be opened. */
export type LinkTarget =
  | { readonly kind: 'web' | 'message'; readonly href: string }
  | { readonly kind: 'file'; readonly path: string; readonly line?: number; readonly column?: number }
  | { readonly kind: 'refused' };

const WEB_SCHEMES = new Set(['http:', 'https:', 'mailto:']);
/** A link to a message, as in the local provider's answers. The host resolves the message. */
const MESSAGE_LINK = /^threadkeeper:message\/[\w-]{1,200}$/;
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
/** `src/a.ts`, `./a.ts:12`, `C:\x\a.ts`, `a.ts#L12`, `lib/x.py:3:14`. Only the first line of a range is captured. */
const FILE_REFERENCE =
  /^(?<path>(?:[A-Za-z]:(?=[\\/]))?[^\s:#?"'<>|*]+?)(?:(?::|#L)(?<line>\d{1,7})(?::(?<column>\d{1,5}))?(?:-L?\d{1,7})?)?$/;
const EXTENSION = /\.[A-Za-z][A-Za-z0-9]{0,7}$/;
const EXTENSIONLESS_NAMES = /^(?:Makefile|Dockerfile|LICENSE|Gemfile|Rakefile|Justfile|Procfile)$/;

/** Parses the target of a Markdown link. Refuses control characters, which browsers ignore, and file names with spaces. */
export function linkTarget(href: string): LinkTarget {
  const text = decode(href);
  if (text === undefined || /[\t\n\r]/.test(href) || HIDDEN_CHARACTERS.test(text)) return { kind: 'refused' };
  if (MESSAGE_LINK.test(text)) return { kind: 'message', href: text };
  if (SCHEME.test(text) && !/^[A-Za-z]:[\\/]/.test(text) && !isFileWithLine(text)) {
    const url = URL.canParse(href) ? new URL(href) : undefined;
    // `url.href` contains the host name in Punycode, which reveals look-alike letters.
    return url && WEB_SCHEMES.has(url.protocol) ? { kind: 'web', href: url.href } : { kind: 'refused' };
  }
  return fileTarget(text) ?? { kind: 'refused' };
}

/** Parses inline text as a file name; undefined if it doesn't look like one. */
export function filePath(text: string): Extract<LinkTarget, { kind: 'file' }> | undefined {
  if (text.length > 300 || text.includes('://') || HIDDEN_CHARACTERS.test(text)) return undefined;
  const target = fileTarget(text);
  if (!target) return undefined;
  const name = target.path.replace(/^.*[/\\]/, '');
  const namesFile = EXTENSION.test(name) || EXTENSIONLESS_NAMES.test(name);
  // A slash or a line number is required, because `e.g` and `Node.js` look like file names.
  return namesFile && (/[/\\]/.test(target.path) || target.line !== undefined) ? target : undefined;
}

/** Maximum length of a path, in characters. The host refuses longer ones. */
const MAX_PATH_LENGTH = 1_000;

function fileTarget(text: string): Extract<LinkTarget, { kind: 'file' }> | undefined {
  const found = FILE_REFERENCE.exec(text)?.groups;
  const path = found?.path;
  // Exclude network paths such as `\\server\share`, because the host accesses the file before the user clicks.
  if (!path || path.length > MAX_PATH_LENGTH || /^[./\\]+$/.test(path) || /^(?:\\|\/[\\/])/.test(path))
    return undefined;
  return {
    kind: 'file',
    path,
    ...(found.line !== undefined && { line: Math.max(1, Number(found.line)) }),
    ...(found.column !== undefined && { column: Math.max(1, Number(found.column)) }),
  };
}

/** Distinguishes `a.ts:12` from a URL, because `a.ts` is also a valid scheme. */
const isFileWithLine = (text: string): boolean => /^[\w.-]+\.[A-Za-z]\w{0,7}:\d+(?::\d+)?(?:-\d+)?$/.test(text);

function decode(href: string): string | undefined {
  try {
    return decodeURIComponent(href);
  } catch {
    return undefined;
  }
}

/**
 * Invisible characters that can hide or reorder text: C0/C1 controls, bidirectional overrides and isolates
 * (CVE-2021-42574, "Trojan Source"), zero-width marks. Excludes tabs, line breaks, and U+200C/U+200D, which some
 * scripts need.
 */
export const HIDDEN_CHARACTERS =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/;

/** The displayed name of a hidden character, such as `U+202E`. */
export const characterName = (character: string): string =>
  `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
