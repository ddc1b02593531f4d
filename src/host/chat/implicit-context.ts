import * as vscode from 'vscode';
import type { Conversation } from '../../app/conversation.ts';
import type { Attachment } from '../../core/model/message.ts';
import { hasSecretName } from '../../core/redact/secret-files.ts';
import { readSettings } from '../platform/settings.ts';
import { ownFiles } from '../platform/workspace-files.ts';
import type { Attachments } from './attachments.ts';
import type { LastEditor } from './last-editor.ts';
import { excerpt } from './read-context.ts';

/** Share of what may be attached that goes by itself, at most: nobody asked for it. */
const MAX_SHARE = 0.1;

export interface ImplicitContextDeps {
  readonly attachments: Attachments;
  readonly editor: LastEditor;
  readonly current: () => Conversation | undefined;
  /** Whether a model answers that reads what is attached. */
  readonly isRead: () => boolean;
  /** Another file goes with the next message, or none. */
  readonly changed: (session: string) => void;
}

/**
 * Keeps the file that the user works on with the next message, in sight and until it is taken off. Not in Restricted
 * Mode, not what git leaves out, lies outside of the workspace or holds secrets by its name (git may not be asked
 * everywhere), and not what the model has verbatim already.
 */
export class ImplicitContext {
  readonly #deps: ImplicitContextDeps;
  /** Sessions in which the user took it off. */
  readonly #declined = new Set<string>();
  #last: Promise<void> = Promise.resolve();

  constructor(deps: ImplicitContextDeps) {
    this.#deps = deps;
  }

  decline(session: string): void {
    this.#declined.add(session);
  }

  /** One at a time, so that what a slower reading finds never takes the place of what is newer. */
  refresh(): Promise<void> {
    const refreshed = this.#last.then(() => this.#refresh());
    // Whoever asked for it learns of its failure; the next one begins anew.
    this.#last = refreshed.catch(() => undefined);
    return refreshed;
  }

  async #refresh(): Promise<void> {
    const conversation = this.#deps.current();
    if (!conversation) return;
    const file = await this.#file(conversation);
    const { attachments, changed } = this.#deps;
    if (attachments.imply(conversation, file)) changed(conversation.journal.id);
  }

  async #file(conversation: Conversation): Promise<Attachment | undefined> {
    const { attachments: held } = this.#deps;
    const { journal } = conversation;
    const document = this.#deps.editor.current?.document;
    if (!document || !vscode.workspace.isTrusted || !this.#deps.isRead()) return undefined;
    if (!readSettings().chat.implicitContext || this.#declined.has(journal.id)) return undefined;
    const { uri } = document;
    if (uri.scheme === 'untitled' || hasSecretName(uri.path) || (await ownFiles([uri])).length === 0) return undefined;
    const file = excerpt(document);
    if (held.tokens(conversation, file) > held.room(conversation) * MAX_SHARE) return undefined;
    const isSame = (one: Attachment): boolean => one.uri === file.uri && one.text === file.text;
    if (held.chosen(journal.id).some(isSame)) return undefined;
    const queued = conversation.queue.items.map(({ message }) => message);
    const known = [...queued, ...[...journal.state.uncovered()].map(({ message }) => message)];
    return known.some(({ attachments }) => attachments?.some(isSame)) ? undefined : file;
  }
}
