import ts from 'typescript';

/** Attributes whose values users read, or hear from a screen reader. */
const TEXT_ATTRIBUTES = new Set(['aria-label', 'title', 'placeholder', 'alt', 'label']);
/** Fields whose values quick picks, dialogs, tree items, progress, and errors show. */
const TEXT_FIELDS = new Set([
  ...['label', 'title', 'detail', 'description', 'placeHolder', 'prompt', 'tooltip', 'message', 'text', 'value'],
  ...['openLabel', 'saveLabel'],
]);
const TEXT_CALLS = /(show(Information|Warning|Error)Message|appendMarkdown|appendText)$/;
const TEXT_CLASSES = /(^|\.)(TreeItem|MarkdownString|SettingsError|RequestFault)$/;
/** Names and icons that aren't translated. */
const NAMES = /https?:\/\/\S+|Threadkeeper|Markdown|JSONL|OpenAI|Anthropic|threadkeeper\.[\w.]+|\$\([\w~-]+\)/g;

/** Calls whose arguments aren't shown as they are: they are translated, logged, or errors for developers. */
const EXEMPT_CALLS = /(l10n\.t|phrase|warn|error|event|Error|ModelFault|spoken|^text|^formatCounted)$/;

/** The text of a node that is a sentence, unless a call around it translates or logs it. */
export function hardCodedSentence(node: ts.Node): string | undefined {
  if (!ts.isStringLiteralLike(node) || !/^\p{Lu}\p{L}*( [\p{L}’',{}0-9]+){2,}/u.test(node.text)) return undefined;
  for (let around: ts.Node = node.parent; !ts.isStatement(around); around = around.parent) {
    const called = ts.isCallExpression(around) || ts.isNewExpression(around) ? around.expression.getText() : '';
    if (EXEMPT_CALLS.test(called)) return undefined;
  }
  return node.text;
}

/** Text in JSX that isn't translated with `text()`; undefined if there is none. */
export function hardCodedPageText(node: ts.Node): string | undefined {
  if (ts.isJsxText(node)) return words(node.text);
  if (ts.isJsxAttribute(node) && TEXT_ATTRIBUTES.has(node.name.getText()) && node.initializer)
    return ts.isStringLiteral(node.initializer) ? words(node.initializer.text) : undefined;
  return undefined;
}

/** Text that the host shows without `l10n.t`; undefined if there is none. */
export function hardCodedHostText(node: ts.Node): string | undefined {
  if (ts.isPropertyAssignment(node) && TEXT_FIELDS.has(node.name.getText())) return literalWords(node.initializer);
  if (ts.isCallExpression(node) && TEXT_CALLS.test(node.expression.getText()))
    return node.arguments.map(literalWords).find((found) => found !== undefined);
  if (ts.isNewExpression(node) && TEXT_CLASSES.test(node.expression.getText())) {
    // The first argument of a `RequestFault` is its reason, which isn't shown.
    const shown = node.arguments?.slice(node.expression.getText() === 'RequestFault' ? 1 : 0);
    return shown?.map(literalWords).find((found) => found !== undefined);
  }
  return undefined;
}

/** The text of literals in an expression: a string, a template, or a branch of a conditional. */
function literalWords(node: ts.Expression): string | undefined {
  if (ts.isStringLiteralLike(node)) return words(node.text);
  if (ts.isTemplateExpression(node))
    return words([node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('{}'));
  if (ts.isConditionalExpression(node)) return literalWords(node.whenTrue) ?? literalWords(node.whenFalse);
  return undefined;
}

function words(text: string): string | undefined {
  return /\p{L}{2}/u.test(text.replace(NAMES, '')) ? text.trim() : undefined;
}
