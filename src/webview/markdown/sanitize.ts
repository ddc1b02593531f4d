import DOMPurify from 'dompurify';

const TAGS = [
  ...['a', 'blockquote', 'br', 'code', 'em', 'h3', 'hr', 'li', 'ol', 'p', 'pre', 's'],
  ...['strong', 'table', 'tbody', 'td', 'th', 'thead', 'tr', 'ul'],
];
const CLASS =
  /^(?:language-\S{1,200}|align-(?:left|right|center)|heading-[1-6]|image-link|math-(?:inline|display)|tml-(?:left|right)|hljs-[\w -]{1,60})$/;

const purifier = DOMPurify();
purifier.addHook('uponSanitizeAttribute', (_node, data) => {
  if (data.attrName === 'class' && !CLASS.test(data.attrValue)) data.keepAttr = false;
  if (data.attrName === 'start' && !/^\d{1,9}$/.test(data.attrValue)) data.keepAttr = false;
});

const MATH_TAGS = [
  ...['math', 'menclose', 'mfrac', 'mglyph', 'mi', 'mmultiscripts', 'mn', 'mo', 'mover', 'mpadded', 'mphantom'],
  ...['mroot', 'mrow', 'ms', 'mspace', 'msqrt', 'mstyle', 'msub', 'msubsup', 'msup', 'mtable', 'mtd', 'mtext'],
  ...['mtr', 'munder', 'munderover', 'none', 'mprescripts'],
];
const MATH_ATTRIBUTES = [
  ...['accent', 'accentunder', 'columnalign', 'columnspacing', 'depth', 'display', 'displaystyle', 'fence', 'form'],
  ...['height', 'linethickness', 'lspace', 'mathvariant', 'maxsize', 'minsize', 'movablelimits', 'notation'],
  ...['rowspacing', 'rspace', 'scriptlevel', 'separator', 'stretchy', 'symmetric', 'voffset', 'width'],
];

const COMMON = { ALLOW_DATA_ATTR: false, ALLOW_ARIA_ATTR: false, RETURN_DOM_FRAGMENT: true } as const;

/** Sanitizes MathML: only elements that draw, without links, styles, colors, and scripts. */
export const sanitizeMath = (mathml: string): DocumentFragment =>
  purifier.sanitize(mathml, { ...COMMON, ALLOWED_TAGS: MATH_TAGS, ALLOWED_ATTR: [...MATH_ATTRIBUTES, 'class'] });

/** Sanitizes code that was highlighted by highlight.js. */
export const sanitizeHighlighted = (html: string): DocumentFragment =>
  purifier.sanitize(html, { ...COMMON, ALLOWED_TAGS: ['span'], ALLOWED_ATTR: ['class'] });

/**
 * Sanitizes HTML: only the elements that Markdown produces. A second protection after a renderer that doesn't support
 * HTML. Hrefs are kept as text, and removed by `decorate`.
 */
export const sanitize = (html: string): DocumentFragment =>
  purifier.sanitize(html, {
    ...COMMON,
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ['href', 'class', 'start', 'title'],
    ALLOWED_URI_REGEXP: /[\s\S]*/,
  });
