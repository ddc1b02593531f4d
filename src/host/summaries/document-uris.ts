import * as vscode from 'vscode';
import type { SessionId } from '../../core/model/ids.ts';
import type { Level } from '../../core/model/summary.ts';
import { DOCUMENT_SCHEME } from '../platform/ids.ts';

/** Texts of a summary that can be edited in a tab of their own. */
export const LEVELS: readonly Level[] = ['brief', 'detailed', 'full'];

/** What a document shows. Those of a summary or message carry its id; the others are of the whole session. */
export const DOCUMENT_KINDS = [
  'node',
  ...(['brief', 'detailed', 'full'] as const),
  'structured',
  'source',
  'message',
  'next',
  'request',
  'dryRun',
  'compressions',
] as const;
export type DocumentKind = (typeof DOCUMENT_KINDS)[number];

export interface DocumentAddress {
  readonly session: string;
  readonly kind: DocumentKind;
  readonly id: string;
}

/** `threadkeeper:/<session>/<kind>/<id>/<name>`: the name is what the tab shows. */
export function documentUri(session: SessionId, kind: DocumentKind, id: string, name: string): vscode.Uri {
  const file = name.replace(/[\\/?#%*:|"<>]/g, ' ').trim();
  const extension = kind === 'request' ? 'json' : 'md';
  return vscode.Uri.from({ scheme: DOCUMENT_SCHEME, path: `/${session}/${kind}/${id}/${file}.${extension}` });
}

/** What a document's address names; undefined for an address that is none. */
export function parseDocumentUri(uri: vscode.Uri): DocumentAddress | undefined {
  const [, session = '', name = '', id = ''] = uri.path.split('/');
  const kind = DOCUMENT_KINDS.find((one) => one === name);
  return uri.scheme === DOCUMENT_SCHEME && kind ? { session, kind, id } : undefined;
}

/** The level whose text the document is; undefined for documents that can only be read. */
export function editableLevel({ kind }: DocumentAddress): Level | undefined {
  return LEVELS.find((level) => level === kind);
}
