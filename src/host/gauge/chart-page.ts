import { randomBytes } from 'node:crypto';
import { locale } from '../platform/l10n.ts';
import { chartTitle } from './chart-svg.ts';

/** The chart's page, with the theme's colors. It shows the SVG that fits its width, and runs and loads nothing. */
export function chartPage(svg: string): string {
  const nonce = randomBytes(16).toString('base64');
  return `<!DOCTYPE html>
<html lang="${locale()}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'nonce-${nonce}'">
<title>${chartTitle()}</title>
<style nonce="${nonce}">
body{margin:0;padding:16px;color:var(--vscode-foreground);background:var(--vscode-editor-background)}
svg{display:block;width:100%;height:calc(100vh - 32px)}
svg:not(.chart-960){display:none}
@media(max-width:720px){.chart-960{display:none}svg.chart-480{display:block}}
@media(max-width:360px){body{padding:16px 4px}svg.chart-480{display:none}svg.chart-260{display:block}}
.label{font:12px var(--vscode-font-family);fill:var(--vscode-descriptionForeground)}
.grid{stroke:var(--vscode-charts-lines);stroke-opacity:.3}
.budget{stroke:var(--vscode-charts-red);stroke-dasharray:6 4}
.line{fill:none;stroke:var(--vscode-charts-blue);stroke-width:2}
.area{fill:var(--vscode-charts-blue);fill-opacity:.15}
.compression{stroke:var(--vscode-charts-purple);stroke-dasharray:2 3}
.spot circle{opacity:0;fill:var(--vscode-charts-blue)}.spot rect{fill:transparent}.spot:hover circle{opacity:1}
.knot{fill:var(--vscode-charts-purple)}
.event{stroke:var(--vscode-charts-orange)}
.reset{stroke:var(--vscode-charts-green);stroke-dasharray:8 3}
</style>
</head>
<body>${svg}</body>
</html>`;
}
