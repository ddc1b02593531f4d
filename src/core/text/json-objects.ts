/** The outermost `{…}` of a text, longest first. Braces in strings are ignored. Linear. */
export function jsonObjects(text: string): string[] {
  const found: string[] = [];
  let depth = 0;
  let start = -1;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (inString) {
      if (unit === 92) at++;
      else if (unit === 34) inString = false;
    } else if (unit === 34 && depth > 0) {
      inString = true;
    } else if (unit === 123) {
      if (depth++ === 0) start = at;
    } else if (unit === 125 && depth > 0 && --depth === 0) {
      found.push(text.slice(start, at + 1));
    }
  }
  return found.sort((a, b) => b.length - a.length);
}
