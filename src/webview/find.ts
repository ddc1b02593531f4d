/**
 * Where words stand in a text just so, whatever their case, in UTF-16 units of the text. In lower case it may have
 * another length: `İ` becomes two.
 */
export function placesIn(text: string, words: string): { readonly from: number; readonly to: number }[] {
  const pattern = new RegExp(words.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'giu');
  return Array.from(text.matchAll(pattern), ({ 0: found, index }) => ({ from: index, to: index + found.length }));
}
