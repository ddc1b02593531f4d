/** What the product counts for people. Tokens are left out but where they stand alone: there are always many. */
const NOUNS =
  'messages|sessions|summaries|key events|compressions|steps|models|results|statements|memories|entries|(?:\\w+ )?lines|leftover files|seconds|problems|preferences';
const COUNTED = new RegExp(`(?<![/→–]\\s?)\\{\\d\\} (${NOUNS}|(?<=^\\{0\\} )tokens$)`, 'g');

/**
 * Texts that count something and have no sibling for one of it: beside `{0} messages → {1}` there has to be a text that
 * says `1 message`, with the same words before it.
 */
export function judgePlurals(english: readonly string[]): readonly string[] {
  return english.flatMap((text) =>
    Array.from(text.matchAll(COUNTED)).flatMap(({ 0: counted, index, 1: nouns = '' }) => {
      const isEnd = index + counted.length === text.length;
      const one = `${text.slice(0, index)}1 ${nouns.replace(/ies$/, 'y').replace(/s$/, '')}`;
      return english.some((other) => (isEnd ? other === one : other.startsWith(one)))
        ? []
        : [`“${text}”: nothing says “${one}”`];
    }),
  );
}
