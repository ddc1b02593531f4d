import type { PassageIndex } from './passage-index.ts';
import type { StatementTerm } from './statement-terms.ts';

/** What a change leads from, in the languages of the product's transcripts. */
const FROM = '(?:from|de|du|des|von|vom|da|dal|dalla)';
/** What it leads to. */
const TO = '(?:to|into|para|por|a|à|auf|zu|nach|al|alla)';
/** Between the two ends of a change, and between a word and the end it belongs to (UTF-16 units). */
const GAP = '[^.;\\n]{0,24}?';
const ARROW = '\\s*[`"\'*]*\\s*(?:->|→|=>|➜)\\s*[`"\'*]*\\s*';

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

function changes(text: string, from: string, to: string): boolean {
  const [one, other] = [escaped(from), escaped(to)];
  return (
    new RegExp(`(?<!\\p{L})${FROM}\\s${GAP}${one}${GAP}\\s${TO}\\s${GAP}${other}`, 'iu').test(text) ||
    new RegExp(`${one}[^.;\\n]{0,12}?${ARROW}[^.;\\n]{0,12}?${other}`, 'iu').test(text)
  );
}

/** What a statement has a change lead from, where its sources have the change lead to that, and the other way round. */
export function directionDiffers(
  text: string,
  terms: readonly StatementTerm[],
  index: PassageIndex,
): StatementTerm | undefined {
  const anchors = terms.filter(({ kind }) => kind !== 'word');
  return anchors.find((from, nth) => {
    const to = anchors[nth + 1];
    if (to === undefined || !changes(text, from.text, to.text)) return false;
    const both = index.placesOf(from).filter((at) => index.creditIn(to, at) > 0);
    const told = both.map((at) => index.sentences[at]!.text);
    return (
      told.some((source) => changes(source, to.text, from.text)) &&
      !told.some((source) => changes(source, from.text, to.text))
    );
  });
}
