import MarkdownIt from 'markdown-it';
import { readMath } from './math-syntax.ts';

/** What blocks of one message share: link definitions, by their labels, and whether line ends are kept. */
export interface MarkdownEnvironment {
  breaks?: boolean;
  references?: Record<string, { title: string; href: string }>;
  [key: string | symbol]: unknown;
}

/** HTML in the text stays text; only links with a scheme are linked by themselves, so `index.ts` is not a web site. */
const markdown = new MarkdownIt({ html: false, linkify: true, breaks: false, typographer: false });
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
readMath(markdown);
// Every href goes through `linkTarget` after sanitizing; refusing here would lose the text's structure.
markdown.validateLink = () => true;

// Alignment by class: the page's policy allows no style attributes.
for (const name of ['th_open', 'td_open'] as const) {
  markdown.renderer.rules[name] = (tokens, index, options, _environment, self) => {
    const token = tokens[index]!;
    const alignment = /text-align:(left|right|center)/.exec(String(token.attrGet('style') ?? ''))?.[1];
    token.attrs = alignment === undefined ? null : [['class', `align-${alignment}`]];
    return self.renderToken(tokens, index, options);
  };
}

// On the page a message is a heading of level 2, and what it calls headings stand one below it, at whatever size.
markdown.renderer.rules['heading_open'] = (tokens, index) => `<h3 class="heading-${tokens[index]!.tag.slice(1)}">`;
markdown.renderer.rules['heading_close'] = () => '</h3>\n';

// What a person typed keeps its lines; what a model wrote flows.
markdown.renderer.rules.softbreak = (_tokens, _index, _options, environment) =>
  environment?.['breaks'] === true ? '<br>\n' : '\n';

// No picture is fetched: an image is a link to it, under its description.
markdown.renderer.rules.image = (tokens, index, options, environment, self) => {
  const token = tokens[index]!;
  const source = String(token.attrGet('src') ?? '');
  const label = self.renderInlineAsText(token.children ?? [], options, environment) || source.slice(0, 80);
  const escape = markdown.utils.escapeHtml;
  return `<a href="${escape(source)}" class="image-link">${escape(label)}</a>`;
};

/** Markdown to HTML that is still to be sanitized. */
export function renderMarkdown(text: string, environment: MarkdownEnvironment): string {
  return markdown.render(text, environment);
}

const ENTITIES: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&amp;': '&' };

/** What markdown says without its signs, on one line: for screen readers. */
export const plainText = (source: string): string =>
  renderMarkdown(source, {})
    .replace(/<pre\b/g, ' $&')
    .replace(/<[^<>]*>/g, '')
    .replace(/&(?:lt|gt|quot|amp);/g, (entity) => ENTITIES[entity]!)
    .replace(/\s+/g, ' ')
    .trim();
