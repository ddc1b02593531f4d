import MarkdownIt from 'markdown-it';
import { readMath } from './math-syntax.ts';

/** What the blocks of a message share: link definitions, and whether line breaks are kept. */
export interface MarkdownEnvironment {
  breaks?: boolean;
  references?: Record<string, { title: string; href: string }>;
  [key: string | symbol]: unknown;
}

/** HTML isn't supported. Only links with a scheme are detected, so that `index.ts` isn't a web site. */
const markdown = new MarkdownIt({ html: false, linkify: true, breaks: false, typographer: false });
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
readMath(markdown);
// `linkTarget` validates links after sanitizing. Rejecting them here would lose the text's structure.
markdown.validateLink = () => true;

// Uses classes for alignment, because the page's policy forbids style attributes.
for (const name of ['th_open', 'td_open'] as const) {
  markdown.renderer.rules[name] = (tokens, index, options, _environment, self) => {
    const token = tokens[index]!;
    const alignment = /text-align:(left|right|center)/.exec(String(token.attrGet('style') ?? ''))?.[1];
    token.attrs = alignment === undefined ? null : [['class', `align-${alignment}`]];
    return self.renderToken(tokens, index, options);
  };
}

// A message is a heading of level 2 on the page, so its own headings have level 3.
markdown.renderer.rules['heading_open'] = (tokens, index) => `<h3 class="heading-${tokens[index]!.tag.slice(1)}">`;
markdown.renderer.rules['heading_close'] = () => '</h3>\n';

// A user's line breaks are kept; a model's paragraphs flow.
markdown.renderer.rules.softbreak = (_tokens, _index, _options, environment) =>
  environment?.['breaks'] === true ? '<br>\n' : '\n';

// Images aren't loaded; they become links with their description.
markdown.renderer.rules.image = (tokens, index, options, environment, self) => {
  const token = tokens[index]!;
  const source = String(token.attrGet('src') ?? '');
  const label = self.renderInlineAsText(token.children ?? [], options, environment) || source.slice(0, 80);
  const escape = markdown.utils.escapeHtml;
  return `<a href="${escape(source)}" class="image-link">${escape(label)}</a>`;
};

/** Renders Markdown to HTML, which must still be sanitized. */
export function renderMarkdown(text: string, environment: MarkdownEnvironment): string {
  return markdown.render(text, environment);
}

const ENTITIES: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&amp;': '&' };

/** The text of Markdown without markup, on one line, for screen readers. */
export const plainText = (source: string): string =>
  renderMarkdown(source, {})
    .replace(/<pre\b/g, ' $&')
    .replace(/<[^<>]*>/g, '')
    .replace(/&(?:lt|gt|quot|amp);/g, (entity) => ENTITIES[entity]!)
    .replace(/\s+/g, ' ')
    .trim();
