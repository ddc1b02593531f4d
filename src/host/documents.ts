import * as vscode from 'vscode';
import type { Conversation } from '../app/conversation.ts';
import { messageId, nodeId, type MessageId, type NodeId, type SessionId } from '../core/model/ids.ts';
import { messageText } from '../core/model/message.ts';
import type { SummaryNode } from '../core/model/summary.ts';
import type { SessionState } from '../core/state/session-state.ts';
import { DOCUMENT_SCHEME } from './ids.ts';

/** Read-only documents: `threadkeeper:/<session>/node/<id>/<name>.md` and `…/message/<id>/<name>.md`. */
export class Documents implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#changed.event;
  readonly #conversation: (id: string) => Conversation | undefined;

  constructor(conversation: (id: string) => Conversation | undefined) {
    this.#conversation = conversation;
  }

  dispose(): void {
    this.#changed.dispose();
  }

  /** Renders every open document anew. */
  refresh(): void {
    for (const { uri } of vscode.workspace.textDocuments) if (uri.scheme === DOCUMENT_SCHEME) this.#changed.fire(uri);
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    const [, session = '', kind = '', id = ''] = uri.path.split('/');
    const state = this.#conversation(session)?.state;
    if (!state) return vscode.l10n.t('Open the session of this document to read it.');
    const text = kind === 'node' ? nodeDocument(state, nodeId(id)) : messageDocument(state, messageId(id));
    return text ?? vscode.l10n.t('This is no longer in the session.');
  }
}

export async function openNodeDocument(session: SessionId, node: SummaryNode): Promise<void> {
  await openDocument(documentUri(session, 'node', node.id, node.title));
}

/** Opens a message by its 0-based position, with a quote selected where one is given. */
export async function openMessageDocument(
  session: SessionId,
  message: MessageId,
  position: number,
  quote?: string,
): Promise<void> {
  const name = vscode.l10n.t('Message {0}', position + 1);
  const editor = await openDocument(documentUri(session, 'message', message, name));
  const at = quote === undefined ? -1 : editor.document.getText().indexOf(quote);
  if (quote === undefined || at < 0) return;
  const range = new vscode.Range(editor.document.positionAt(at), editor.document.positionAt(at + quote.length));
  editor.selection = new vscode.Selection(range.start, range.end);
  editor.revealRange(range, vscode.TextEditorRevealType.InCenter);
}

/** The name is what the tab shows. */
function documentUri(session: SessionId, kind: 'node' | 'message', id: string, name: string): vscode.Uri {
  const file = name.replace(/[\\/?#%*:|"<>]/g, ' ').trim();
  return vscode.Uri.from({ scheme: DOCUMENT_SCHEME, path: `/${session}/${kind}/${id}/${file}.md` });
}

async function openDocument(uri: vscode.Uri): Promise<vscode.TextEditor> {
  return vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
}

function nodeDocument(state: SessionState, id: NodeId): string | undefined {
  const node = state.nodes.get(id);
  if (!node) return undefined;
  const from = state.positionOf(node.first);
  const to = state.positionOf(node.last);
  const range = from === undefined || to === undefined ? '' : vscode.l10n.t('messages {0}–{1}', from + 1, to + 1);
  const parts = [
    `# ${node.title}`,
    `_${[range, facts(node)].filter((one) => one !== '').join(' · ')}_`,
    `## ${vscode.l10n.t('Brief')}\n\n${node.brief}`,
    `## ${vscode.l10n.t('Detailed')}\n\n${node.detailed}`,
    ...(node.full === undefined ? [] : [`## ${vscode.l10n.t('Full')}\n\n${node.full}`]),
    ...(node.audit.faults.length === 0 ? [] : [`## ${vscode.l10n.t('Audit')}\n\n${faults(node)}`]),
    ...(node.depth === 0 && from !== undefined && to !== undefined
      ? [`## ${vscode.l10n.t('Source')}\n\n${source(state, from, to)}`]
      : []),
  ];
  return `${parts.join('\n\n')}\n`;
}

function facts(node: SummaryNode): string {
  return vscode.l10n.t(
    '{0} → {1} tokens · {2} ({3}) · {4}',
    node.tokens.source.toLocaleString(vscode.env.language),
    node.tokens.detailed.toLocaleString(vscode.env.language),
    node.model,
    node.rung,
    new Date(node.at).toLocaleString(vscode.env.language),
  );
}

const faults = (node: SummaryNode): string => node.audit.faults.map((one) => `- ${one.kind}: ${one.text}`).join('\n');

function source(state: SessionState, from: number, to: number): string {
  const parts: string[] = [];
  for (let position = from; position <= to; position++) {
    const message = state.messages.get(state.path[position]!);
    if (message) parts.push(`### ${position + 1} · ${message.role}\n\n${messageText(message)}`);
  }
  return parts.join('\n\n');
}

function messageDocument(state: SessionState, id: MessageId): string | undefined {
  const message = state.messages.get(id);
  return message && messageText(message);
}
