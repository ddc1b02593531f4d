/** What the page's frame is made of; addresses are those that the webview may load. */
export interface PageFrame {
  /** Fresh for each page; nothing but our own bundle has it. */
  readonly nonce: string;
  readonly cspSource: string;
  /** BCP 47. */
  readonly language: string;
  /** The page's texts by their English; what is missing stays English. */
  readonly translations: Readonly<Record<string, string>>;
  readonly uri: (file: string) => string;
}

/** Languages that are written from right to left. */
const RIGHT_TO_LEFT = /^(ar|fa|he|ur)\b/;

/** Nothing runs in the page but our own bundle, by its nonce; nothing is loaded from elsewhere, nothing is sent. */
export function pageHtml({ nonce, cspSource, language, translations, uri }: PageFrame): string {
  const csp = [
    `default-src 'none'`,
    `script-src 'nonce-${nonce}'`,
    `style-src ${cspSource}`,
    `font-src ${cspSource}`,
    `img-src ${cspSource} data:`,
    // Text becomes markup through the sanitizer alone.
    `require-trusted-types-for 'script'`,
    `trusted-types dompurify`,
  ].join('; ');
  // Data that the page reads, not a script: it is there before the first word is drawn.
  const data = JSON.stringify(translations).replaceAll('<', String.raw`\u003c`);
  return `<!DOCTYPE html>
<html lang="${language}" dir="${RIGHT_TO_LEFT.test(language) ? 'rtl' : 'ltr'}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${csp}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${uri('codicon.css')}">
<link rel="stylesheet" href="${uri('webview.css')}">
<title>Threadkeeper</title>
</head>
<body>
<div id="root"></div>
<script type="application/json" id="translations">${data}</script>
<script nonce="${nonce}" src="${uri('webview.js')}"></script>
</body>
</html>`;
}
