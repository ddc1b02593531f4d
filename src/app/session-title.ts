/** Maximum length of a title, in UTF-16 units. */
const TITLE_LENGTH = 60;

/** A title for a session: the first line of a text that contains letters or digits, cut at a word. '' if none does. */
export function sessionTitleFrom(text: string): string {
  const line = text.split('\n').find((one) => /[\p{L}\p{N}]/u.test(one)) ?? '';
  const plain = line
    .replace(/^[\s#>*`-]+/, '')
    .replace(/\s+/g, ' ')
    .trim();
  if (plain.length <= TITLE_LENGTH) return plain;
  // The character at the limit may be an emoji of several code points.
  const cut = plain.slice(0, new Intl.Segmenter().segment(plain).containing(TITLE_LENGTH)?.index);
  const word = cut.lastIndexOf(' ');
  return `${cut.slice(0, word > TITLE_LENGTH / 2 ? word : cut.length)}…`;
}
