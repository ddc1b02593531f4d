/** The meaning of a word or phrase for its sentence, in any language. */
export const CONCEPTS = [
  'act', // a verb of doing, as a request names it: add, fix, rename
  'request', // asks somebody to act: please, can you, I want
  'oblige', // must, should, only, at least
  'forbid', // do not, never, instead of
  'prefer', // always, prefer, from now on
  'decide', // let us, go with, we chose
  'assent', // yes, go ahead
  'refuse', // no, stop, wrong way
  'fault', // error, broken, does not work
  'faultless', // no errors, zero failures
  'done', // fixed, passed, added
  'open', // to do, pending, next step
  'cause', // because, root cause, it turns out
  'state', // already, currently, never called, is fragile
  'config', // port, environment variable, set to
  'ask', // question words
  'maybe', // if, perhaps, could
  'narrate', // let me look, now I will
  'suggest', // consider, would help
  'chatter', // thanks, sorry, great
  'explain', // this change does the following, here is
  'we', // we, our
  'i', // I, my
  'you', // you, your
  'fail', // an attempt that didn't help: tried, same error
  'not', // a bare negation
  'depict', // what code, a test, or a text does, in the third person
] as const;
export type Concept = (typeof CONCEPTS)[number];

/**
 * Words and phrases by concept, separated by `|`; a trailing `*` stands for any ending. Matching folds case and Latin
 * accents, so "não" also covers "nao".
 */
export type Lexicon = Readonly<Partial<Record<Concept, string>>>;
