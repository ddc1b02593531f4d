import DOMPurify from 'dompurify';

const MARKDOWN_TAGS = [
  ...['a', 'blockquote', 'br', 'code', 'em', 'h3', 'hr', 'li', 'ol', 'p', 'pre', 's'],
  ...['strong', 'table', 'tbody', 'td', 'th', 'thead', 'tr', 'ul'],
];
const ALLOWED_CLASS =
  /^(?:language-\S{1,200}|align-(?:left|right|center)|heading-[1-6]|math-(?:inline|display)|tml-(?:left|right)|hljs-[\w -]{1,60})$/;

const purifier = DOMPurify();
purifier.addHook('uponSanitizeAttribute', (_node, data) => {
  if (data.attrName === 'class' && !ALLOWED_CLASS.test(data.attrValue)) data.keepAttr = false;
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

const COMMON_OPTIONS = { ALLOW_DATA_ATTR: false, ALLOW_ARIA_ATTR: false, RETURN_DOM_FRAGMENT: true } as const;

/** Sanitizes MathML: removes links, styles, colors, and scripts. */
export const sanitizeMath = (mathml: string): DocumentFragment =>
  purifier.sanitize(mathml, {
    ...COMMON_OPTIONS,
    ALLOWED_TAGS: MATH_TAGS,
    ALLOWED_ATTR: [...MATH_ATTRIBUTES, 'class'],
  });

export const sanitizeHighlighted = (html: string): DocumentFragment =>
  purifier.sanitize(html, { ...COMMON_OPTIONS, ALLOWED_TAGS: ['span'], ALLOWED_ATTR: ['class'] });

/** Keeps only what Markdown produces, with all hrefs, because `decorate` replaces them by validated targets. */
export const sanitize = (html: string): DocumentFragment =>
  purifier.sanitize(html, {
    ...COMMON_OPTIONS,
    ALLOWED_TAGS: MARKDOWN_TAGS,
    ALLOWED_ATTR: ['href', 'class', 'dir', 'start', 'title'],
    ALLOWED_URI_REGEXP: /[\s\S]*/,
  });
