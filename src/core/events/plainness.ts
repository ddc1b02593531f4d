import { isCjkUnit } from '../text/script.ts';

/** Words of plain letters against words that look like code, paths or numbers; a pair of ideographs is a word. */
export function plainness(quote: string): { readonly plain: number; readonly coded: number } {
  let plain = 0;
  let coded = 0;
  for (const word of quote.split(/\s+/)) {
    if (word === '') continue;
    if (isCjkUnit(word.charCodeAt(0)) || isCjkUnit(word.charCodeAt(word.length - 1)))
      plain += Math.ceil(word.length / 2);
    else if (/^["'(*_]{0,3}\p{L}[\p{L}'’-]*["')*_.,:;!?…]{0,4}$/u.test(word)) plain++;
    else if (/[\p{L}\p{N}]/u.test(word)) coded++;
  }
  return { plain, coded };
}
