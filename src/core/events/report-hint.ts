/** Words without one of which no pattern for a machine's lines can match, in any case. */
const WORDS = [
  'err',
  'exception',
  'fail',
  'fatal',
  'panic',
  'warn',
  'denied',
  'not found',
  'no such',
  'interrupt',
  'notfound',
  'nomatch',
  'noexact',
  'exit',
  'econn',
  'enoent',
  'memory',
  'core',
  'traceback',
  'undefined',
  'cannot',
  'expected',
  'critical',
  'severe',
  'not ok',
  'removed',
  'reverted',
  'answer',
  'selected',
  'chose',
  'passed',
  'passing',
  'fout',
  'fehler',
  'eacces',
  'etimedout',
  'eaddr',
  'not recognized',
  'access',
];

const HINT = new RegExp(`${WORDS.join('|')}|[✕✗✖❌×\\[]|:\\d|エラー|错误|錯誤|ошибка|오류`, 'i');

/* A small alphabet: letters by their place in either case, the blank, and all else as one. */
const BLANK = 27;
const LETTER_BITS = 5;
const LETTERS = new Uint8Array(128);
for (let place = 0; place < 26; place++) {
  LETTERS[97 + place] = place + 1;
  LETTERS[65 + place] = place + 1;
}
LETTERS[32] = BLANK;

/** The first three letters of each word. */
const STARTS = new Uint8Array(1 << (3 * LETTER_BITS));
for (const word of WORDS) {
  let three = 0;
  for (let at = 0; at < 3; at++) three = (three << LETTER_BITS) | LETTERS[word.charCodeAt(at)]!;
  STARTS[three] = 1;
}

/** Whether `text[start, end)` may report something; most lines do not, and are told by three letters at a time. */
export function mayReport(text: string, start: number, end: number): boolean {
  let three = 0;
  for (let at = start; at < end; at++) {
    const unit = text.charCodeAt(at);
    const letter = unit < 128 ? LETTERS[unit]! : 0;
    three = ((three << LETTER_BITS) | letter) & (STARTS.length - 1);
    if (STARTS[three] === 1 || unit > 127 || unit === 58 || unit === 91) return HINT.test(text.slice(start, end));
  }
  return false;
}
