import * as vscode from 'vscode';
import type { Conversation } from '../../app/conversation.ts';
import type { Attachment } from '../../core/model/message.ts';
import { hasSecretName } from '../../core/redact/secret-files.ts';
import { readSettings } from '../platform/settings.ts';
import { ownFiles } from '../platform/workspace-files.ts';
import type { Sessions } from '../../app/sessions.ts';
import type { ChosenModel } from '../models/models.ts';
import type { Attachments } from './attachments.ts';
import type { ChatPanel } from './chat-panel.ts';
import type { Drafts } from './drafts.ts';
import type { LastEditor } from './last-editor.ts';
import { excerpt } from './read-context.ts';

/** Share of what may be attached that goes by itself, at most: nobody asked for it. */
const MAX_SHARE = 0.1;

interface ImplicitContextApp {
  readonly attachments: Attachments;
  readonly editor: LastEditor;
  readonly sessions: Pick<Sessions, 'current'>;
  readonly drafts: Pick<Drafts, 'get'>;
  readonly panel: Pick<ChatPanel, 'post'>;
  chosenModel(): Pick<ChosenModel, 'provider'>;
}

/**
 * Keeps the file that the user works on with the next message, in sight and until it is taken off. Not in Restricted
 * Mode, not what git leaves out, lies outside of the workspace or holds secrets by its name (git may not be asked
 * everywhere), and not what the model has verbatim already.
 */
export class ImplicitContext {
  readonly #app: ImplicitContextApp;
  /** Sessions in which the user took it off. */
  readonly #declined = new Set<string>();
  #last: Promise<void> = Promise.resolve();

  constructor(app: ImplicitContextApp) {
    this.#app = app;
  }

  decline(session: string): void {
    this.#declined.add(session);
  }

  /** One at a time, so that what a slower reading finds never takes the place of what is newer. */
  refresh(): Promise<void> {
    const refreshed = this.#last.then(() => this.#refresh());
    // The caller is told of a failure; the next refresh runs in any case.
    this.#last = refreshed.catch(() => undefined);
    return refreshed;
  }

  async #refresh(): Promise<void> {
    const { attachments, drafts, panel, sessions } = this.#app;
    const conversation = sessions.current;
    if (!conversation || !attachments.imply(conversation, await this.#file(conversation))) return;
    const { id } = conversation.journal;
    panel.post({ type: 'draft', draft: { text: drafts.get(id), attachments: attachments.views(id) }, focus: false });
  }

  async #file(conversation: Conversation): Promise<Attachment | undefined> {
    const { attachments: held, editor } = this.#app;
    const { journal } = conversation;
    const document = editor.current?.document;
    // Only a model reads what is attached.
    if (!document || !vscode.workspace.isTrusted || this.#app.chosenModel().provider === 'local') return undefined;
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
