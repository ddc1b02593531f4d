import * as vscode from 'vscode';
import type { Conversation } from '../../app/conversation.ts';
import { CHART_PANEL } from '../platform/contribution-ids.ts';
import { askWhereToSave, saveFile } from '../platform/save-file.ts';
import { readSettings } from '../platform/settings.ts';
import { chartPage } from './chart-page.ts';
import { chartSvg, chartTitle, contextSeries, PAGE_WIDTHS } from './chart-svg.ts';

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

  refresh(): void {
    if (!this.#panel?.visible) return;
    const svg = charts(this.#conversation(), PAGE_WIDTHS);
    if (svg === this.#shownSvg) return;
    this.#shownSvg = svg;
    this.#panel.webview.html = chartPage(svg);
  }

  /** Saves the chart to a file that the user selects. Quotes are redacted like in other exports. */
  async save(): Promise<void> {
    const uri = await askWhereToSave('context.svg', { filters: { SVG: ['svg'] } });
    if (!uri) return;
    const redactor = new (await import('../../core/redact/redact.ts')).Redactor();
    const redact = readSettings().export.maskSecrets ? (text: string) => redactor.redact(text) : undefined;
    await saveFile(uri, charts(this.#conversation(), [undefined], redact));
  }
}

/** The chart as SVG for each width; `undefined` for a file. */
function charts(
  conversation: Conversation | undefined,
  widths: readonly Parameters<typeof chartSvg>[2][],
  redact?: (text: string) => string,
): string {
  if (!conversation) return '';
  const { state, counts } = conversation;
  const { system, rules, memory } = conversation.context().tokens;
  const series = contextSeries(state, counts, system + rules + memory, redact);
  return widths.map((width) => chartSvg(series, conversation.meter.budget(), width)).join('');
}
