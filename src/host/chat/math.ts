import temml from 'temml';

export interface Formula {
  readonly tex: string;
  /** On a line of its own. */
  readonly display: boolean;
}

/** A formula as MathML; empty where it cannot be read. What it names is not trusted: no links, no pictures. */
export function mathMl({ tex, display }: Formula): string {
  try {
    const mathml = temml.renderToString(tex, {
      displayMode: display,
      throwOnError: true,
      trust: false,
      maxExpand: 200,
      maxSize: [20, 20],
    });
    // The page's policy allows no style.
    return mathml.replaceAll(/ style="[^"]*"/g, '');
  } catch (error) {
    // Braces within braces without end overflow the stack.
    if (error instanceof temml.ParseError || error instanceof RangeError) return '';
    throw error;
  }
}
