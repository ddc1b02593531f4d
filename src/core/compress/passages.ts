/**
 * What a passage is: something said or shown in passing, a thought aloud, a heading, or a line of output or code that informs.
 * `text` is running text inside output or code: a description, a comment, a sentence of a document. `line` is any other
 * line of output or code, for what is told in full. `noted` is what a summary says in words of its own.
 */
export type PassageKind =
  'said' | 'thought' | 'quoted' | 'heading' | 'call' | 'error' | 'outcome' | 'names' | 'text' | 'line' | 'noted';

/** A piece of a message's text that can stand by itself: a line, or a sentence of a long line. UTF-16 offsets. */
export interface Passage {
  /** Position of its message. */
  readonly message: number;
  readonly start: number;
  readonly end: number;
  readonly kind: PassageKind;
  /** Whether it is running text rather than names and symbols. */
  readonly running: boolean;
  /** What it says in words of its own: a sentence about code, at the place of the code. Else the slice says it. */
  readonly text: string | undefined;
  /** It stands among lines of code: a comment, a message that the code prints. */
  readonly inListing: boolean;
}

/** A passage of a message's text; all are made here, since loops over passages of one shape run twice as fast. */
export const newPassage = (
  message: number,
  start: number,
  end: number,
  kind: PassageKind,
  running: boolean,
  text?: string,
): Passage => ({ message, start, end, kind, running, text, inListing: false });

/** What a passage says. */
export function passageText(passage: Passage, messageText: string): string {
  return passage.text ?? messageText.slice(passage.start, passage.end);
}

const SAID: ReadonlySet<PassageKind> = new Set(['said', 'quoted', 'heading', 'noted']);

/** Whether a person or an assistant said it, as against output, code and thoughts. */
export const isSaid = ({ kind }: Pick<Passage, 'kind'>): boolean => SAID.has(kind);
