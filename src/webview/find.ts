/**
 * The occurrences of words in a text, ignoring case, in UTF-16 units of the text. In lower case, its length may differ:
 * `İ` becomes two units.
 */
export function placesIn(text: string, words: string): { readonly from: number; readonly to: number }[] {
  const pattern = new RegExp(words.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'giu');
  return Array.from(text.matchAll(pattern), ({ 0: found, index }) => ({ from: index, to: index + found.length }));
}
