export interface PageFrame {
  /** Unique for each page; allows its script. */
  readonly nonce: string;
  readonly cspSource: string;
  /** BCP 47 tag. */
  readonly language: string;
  /** The page's translations, by the English text; missing ones stay in English. */
  readonly translations: Readonly<Record<string, string>>;
  /** Returns a URI that the webview may load. */
  readonly uri: (file: string) => string;
}

const RIGHT_TO_LEFT = /^(ar|fa|he|ur)\b/;

/** The page's HTML. Its policy allows only the script with the nonce, the extension's own files, and no connections. */
export function pageHtml({ nonce, cspSource, language, translations, uri }: PageFrame): string {
  const csp = [
    `default-src 'none'`,
    `script-src 'nonce-${nonce}'`,
    `style-src ${cspSource}`,
    `font-src ${cspSource}`,
    `img-src ${cspSource} data:`,
    // Strings only become markup through the sanitizer.
    `require-trusted-types-for 'script'`,
    `trusted-types dompurify`,
  ].join('; ');
  // Embedded, so that translations are available before the first rendering; as data, so that no second script is
  // allowed.
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
