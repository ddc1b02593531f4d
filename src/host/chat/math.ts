import temml from 'temml';
import type { Formula } from '../../protocol/requests.ts';

/** A formula as MathML; '' if it's invalid. Links and images aren't allowed. */
export function mathMl({ tex, display }: Formula): string {
  try {
    const mathml = temml.renderToString(tex, {
      displayMode: display,
      throwOnError: true,
      trust: false,
      maxExpand: 200,
      maxSize: [20, 20],
    });
    // The page's Content Security Policy forbids styles.
    return mathml.replaceAll(/ style="[^"]*"/g, '');
  } catch {
    // Not only `ParseError`: a missing exponent is a `TypeError`, and deeply nested braces overflow the stack.
    return '';
  }
}
