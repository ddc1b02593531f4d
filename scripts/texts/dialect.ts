import type { Texts } from './languages.ts';

/** Patterns that texts of the product fell into, and what to write instead. */
const DIALECT: readonly (readonly [RegExp, string])[] = [
  [/\bword for word\b/i, 'verbatim'],
  [
    /\bwhat (?:was|is|has been|would be|stands)\b(?! sent)(?!.*\?)|\ball that (?:was|is)\b|\bwho (?:answers|writes|checks)\b/i,
    'a noun',
  ],
  [/\b(?:reset|models|level|window|reasoning|end) of the (?:task|editor|model|reply)\b/i, 'a compound: task reset'],
  [/\bEmpty: /, 'Leave empty to …'],
  [/\bby code\b|\bcode (?:found|stands)\b/i, 'extractive, or without a model'],
  [/(?<!there )\b(?:is|are) no (?!longer)[a-z]+\b/i, 'isn’t a …'],
  [/\b(?:no|without|more) room\b/i, 'space, or doesn’t fit'],
  [/\bfor good\b/i, 'permanently'],
  [/\bof (?:your|its|one's|one’s) own\b/i, 'your own, or separate'],
  [/\b(?:anew|by itself|meanwhile)\b/i, 'again, automatically, in the meantime'],
  [/\b(?:tells|speaks|told) of\b/i, 'mentions'],
  [/\bevery so many\b|\bso many\b/i, 'every N'],
  [/\b(?:reply|replies|replying)\b/i, 'response'],
  [/\bchoose\b|\bchosen\b/i, 'select, selected'],
  [
    /\bcannot\b|\bcould not\b|\bdoes not\b|\bdid not\b|\bis not\b|\bare not\b|\bwas not\b|\bmay not\b/i,
    'a contraction: can’t',
  ],
  [/\d %|\} %/, '26%, without a space'],
  [/\bsidebar\b/i, 'Side Bar'],
  [/\bcancelled\b/, 'canceled'],
  [/\b(?:whole number)\b/i, 'integer'],
  [/[a-z]'[a-z]/i, 'the apostrophe ’'],
  [/\w, (?!for )[\w ]{1,20}[a-z] (?:and|or) \w+/, 'the serial comma'],
  [/[^.…]: (?:choose|set|try|check|compress|switch|take|free|open|start|add|rephrase) [^:]*[.]$/, 'two sentences'],
];

/** Where an English text falls back into the dialect. Names in backticks and links to commands are no words. */
export function judgeDialect(file: string, english: Texts): readonly string[] {
  return Object.entries(english).flatMap(([key, text]) => {
    const words = text.replace(/`[^`]*`|\(command:[^)]*\)|threadkeeper\.[\w.]+/g, '');
    return DIALECT.flatMap(([pattern, instead]) => {
      const found = pattern.exec(words);
      return found ? [`${file}: “${key}” says “${found[0]}”; write ${instead}`] : [];
    });
  });
}
