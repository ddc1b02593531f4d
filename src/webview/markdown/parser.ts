import MarkdownIt from 'markdown-it';
import { addMathSyntax } from './math-syntax.ts';

/** The rendering state that all blocks of a message share. */
export interface MarkdownEnvironment {
  /** Whether line breaks in paragraphs are kept. */
  breaks?: boolean;
  references?: Record<string, { title: string; href: string }>;
  [key: string | symbol]: unknown;
}

const markdown = new MarkdownIt({ html: false, linkify: true });
// Only detect links with a scheme, so that `index.ts` isn't a web site.
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
addMathSyntax(markdown);
// `linkTarget` validates links later. If they were validated here, invalid ones would be shown as Markdown source.
markdown.validateLink = () => true;

// Use classes for alignment, because the page's content security policy forbids style attributes.
for (const name of ['th_open', 'td_open'] as const) {
  markdown.renderer.rules[name] = (tokens, index, options, _environment, self) => {
    const token = tokens[index]!;
    const alignment = /text-align:(left|right|center)/.exec(String(token.attrGet('style') ?? ''))?.[1];
    token.attrs = alignment === undefined ? null : [['class', `align-${alignment}`]];
    return self.renderToken(tokens, index, options);
  };
}

// The side of bullets, bars, and first columns follows the first letters, like the direction of each paragraph.
for (const name of ['bullet_list_open', 'ordered_list_open', 'blockquote_open', 'table_open'] as const) {
  markdown.renderer.rules[name] = (tokens, index, options, _environment, self) => {
    tokens[index]!.attrSet('dir', 'auto');
    return self.renderToken(tokens, index, options);
  };
}

// Use level 3 for all headings, because the header of a message is a heading of level 2.
markdown.renderer.rules['heading_open'] = (tokens, index) => `<h3 class="heading-${tokens[index]!.tag.slice(1)}">`;
markdown.renderer.rules['heading_close'] = () => '</h3>\n';

markdown.renderer.rules.softbreak = (_tokens, _index, _options, environment) =>
  environment?.['breaks'] === true ? '<br>\n' : '\n';

// Don't load images: link to them.
markdown.renderer.rules.image = (tokens, index, options, environment, self) => {
  const token = tokens[index]!;
  const source = String(token.attrGet('src') ?? '');
  const label = self.renderInlineAsText(token.children ?? [], options, environment) || source.slice(0, 80);
  const escape = markdown.utils.escapeHtml;
  return `<a href="${escape(source)}">${escape(label)}</a>`;
};

/** Renders Markdown to HTML, which must still be sanitized. */
export const renderMarkdown = (text: string, environment: MarkdownEnvironment): string =>
  markdown.render(text, environment);

const ENTITIES: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&amp;': '&' };

/** The text of Markdown without markup, on one line. */
export const plainText = (source: string): string =>
  renderMarkdown(source, {})
    .replace(/<pre\b/g, ' $&')
    .replace(/<[^<>]*>/g, '')
    .replace(/&(?:lt|gt|quot|amp);/g, (entity) => ENTITIES[entity]!)
    .replace(/\s+/g, ' ')
    .trim();
