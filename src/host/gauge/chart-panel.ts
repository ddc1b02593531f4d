import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { locale } from '../platform/l10n.ts';
import type { Conversation } from '../../app/conversation.ts';
import { CHART_PANEL } from '../platform/contribution-ids.ts';
import { askWhereToSave, saveFile } from '../platform/save-file.ts';
import { readSettings } from '../platform/settings.ts';
import { chartSvg, chartTitle, contextSeries } from './chart-svg.ts';

/** A chart of the context's size over the session, in at most one tab per window. */
export class ChartPanel implements vscode.Disposable {
  readonly #conversation: () => Conversation | undefined;
  #panel: vscode.WebviewPanel | undefined;
  #shownSvg: string | undefined;

  constructor(conversation: () => Conversation | undefined) {
    this.#conversation = conversation;
  }

  dispose(): void {
    this.#panel?.dispose();
  }

  open(): void {
    if (!this.#panel) {
      const panel = vscode.window.createWebviewPanel(CHART_PANEL, chartTitle(), vscode.ViewColumn.Active, {
        localResourceRoots: [],
      });
      panel.onDidDispose(() => {
        if (this.#panel !== panel) return;
        this.#panel = undefined;
        this.#shownSvg = undefined;
      });
      panel.onDidChangeViewState(() => this.refresh());
      this.#panel = panel;
    }
    this.#panel.reveal();
    this.refresh();
  }

  /** Redraws the chart if it's visible. */
  refresh(): void {
    if (!this.#panel?.visible) return;
    const svg = drawing(this.#conversation(), false);
    if (svg === this.#shownSvg) return;
    this.#shownSvg = svg;
    this.#panel.webview.html = pageHtml(svg);
  }

  /** Saves the chart to a file that the user selects. Quotes are redacted like in other exports. */
  async save(): Promise<void> {
    const uri = await askWhereToSave('context.svg', { filters: { SVG: ['svg'] } });
    if (!uri) return;
    const redactor = new (await import('../../core/redact/redact.ts')).Redactor();
    const redact = readSettings().export.maskSecrets ? (text: string) => redactor.redact(text) : undefined;
    await saveFile(uri, drawing(this.#conversation(), true, redact));
  }
}

function drawing(
  conversation: Conversation | undefined,
  isStandalone: boolean,
  redact?: (text: string) => string,
): string {
  if (!conversation) return '';
  const { state, counts } = conversation;
  const { system, rules, memory } = conversation.context().tokens;
  const series = contextSeries(state, counts, system + rules + memory, redact);
  return chartSvg(series, conversation.meter.budget(), isStandalone);
}

/** The chart's page, with the theme's colors. It runs no scripts and loads nothing. */
function pageHtml(svg: string): string {
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
