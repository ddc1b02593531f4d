import * as vscode from 'vscode';
import type { Conversation } from '../../app/conversation.ts';
import { CHART_PANEL } from '../platform/contribution-ids.ts';
import { askWhereToSave, saveFile } from '../platform/save-file.ts';
import { readSettings } from '../platform/settings.ts';
import { chartPage, chartSvg, chartTitle, contextSeries, PAGE_WIDTHS, type PageWidth } from './chart-svg.ts';

export type ChartPanel = ReturnType<typeof chartPanel>;

/** A chart of the context's size over the session, in at most one tab per window. */
export function chartPanel(conversation: () => Conversation | undefined) {
  let panel: vscode.WebviewPanel | undefined;
  let shownSvg: string | undefined;
  const refresh = (): void => {
    if (!panel?.visible) return;
    const svg = renderCharts(conversation(), PAGE_WIDTHS);
    if (svg === shownSvg) return;
    shownSvg = svg;
    panel.webview.html = chartPage(svg);
  };
  const create = (): vscode.WebviewPanel => {
    const created = vscode.window.createWebviewPanel(CHART_PANEL, chartTitle(), vscode.ViewColumn.Active, {
      localResourceRoots: [],
    });
    created.onDidDispose(() => {
      panel = undefined;
      shownSvg = undefined;
    });
    created.onDidChangeViewState(refresh);
    return created;
  };
  return {
    refresh,
    open: (): void => {
      panel ??= create();
      panel.reveal();
      refresh();
    },
    /** Saves the chart to a file that the user selects. Secrets in quotes are masked if `export.maskSecrets` is on. */
    save: async (): Promise<void> => {
      const uri = await askWhereToSave('context.svg', { filters: { SVG: ['svg'] } });
      if (!uri) return;
      const redactor = new (await import('../../core/redact/redact.ts')).Redactor();
      const redact = readSettings().export.maskSecrets ? (text: string) => redactor.redact(text) : undefined;
      await saveFile(uri, renderCharts(conversation(), [undefined], redact));
    },
    dispose: (): void => void panel?.dispose(),
  };
}

/** The charts as SVG, one per width. The width `undefined` is for a saved file. '' without a conversation. */
function renderCharts(
  conversation: Conversation | undefined,
  widths: readonly (PageWidth | undefined)[],
  redact?: (text: string) => string,
): string {
  if (!conversation) return '';
  const { state, counts } = conversation;
  const { system, rules, memory } = conversation.context().tokens;
  const series = contextSeries(state, counts, system + rules + memory, redact);
  return widths.map((width) => chartSvg(series, conversation.meter.budget(), width)).join('');
}
