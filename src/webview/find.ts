/**
 * The occurrences of `query` in `text`, ignoring case, as UTF-16 offsets. Uses a regular expression, because
 * lowercasing both texts may change offsets: `İ` becomes two units.
 */
export function findMatches(text: string, query: string): { readonly from: number; readonly to: number }[] {
  const pattern = new RegExp(query.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'giu');
  return Array.from(text.matchAll(pattern), ({ 0: found, index }) => ({ from: index, to: index + found.length }));
}
