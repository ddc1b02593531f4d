/** The beginning of a text with at most `maxUnits` UTF-16 units, not cut within a surrogate pair. */
export const truncate = (text: string, maxUnits: number): string =>
  text.slice(0, maxUnits).replace(/[\uD800-\uDBFF]$/, '');
