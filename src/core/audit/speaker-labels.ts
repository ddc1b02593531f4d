/** A message that opens with its speaker: "Project Manager: …". */
const LABEL = /^(\p{Lu}[\p{L}\p{N} .'’-]{1,30}?)\s?: /u;

/** Who speaks in messages that begin with a speaker's name, as transcripts of meetings have it. */
export class SpeakerLabels {
  /** The speakers; none unless most messages name one. */
  readonly all: readonly string[];
  private readonly labels: readonly (string | undefined)[];

  constructor(texts: readonly string[]) {
    const labels = texts.map((text) => LABEL.exec(text)?.[1]);
    const counts = new Map<string, number>();
    for (const label of labels) if (label !== undefined) counts.set(label, (counts.get(label) ?? 0) + 1);
    const speakers = [...counts].filter(([, count]) => count > 1).map(([label]) => label);
    const spoken = speakers.reduce((sum, label) => sum + counts.get(label)!, 0);
    const named = spoken * 2 > texts.length;
    this.all = named ? speakers : [];
    this.labels = named ? labels : [];
  }

  /** Whether a speaker is named at that place of a text. */
  names(start: number, text: string): boolean {
    return this.all.some((label) => {
      for (let at = text.indexOf(label); at >= 0 && at <= start; at = text.indexOf(label, at + 1))
        if (start < at + label.length) return true;
      return false;
    });
  }

  labelOf(message: number): string | undefined {
    return this.labels[message];
  }
}
