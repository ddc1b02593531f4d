import * as vscode from 'vscode';
import type { Conversation } from '../../app/conversation.ts';
import type { Attachment } from '../../core/model/message.ts';
import { isSecretFile } from '../../core/redact/secret-files.ts';
import { readSettings } from '../platform/settings.ts';
import { workspaceFilesOnly } from '../platform/workspace-files.ts';
import type { Sessions } from '../../app/sessions.ts';
import type { ChosenModel } from '../models/models.ts';
import type { Attachments } from './attachments.ts';
import type { ChatPanel } from './chat-panel.ts';
import type { Drafts } from './drafts.ts';
import type { LastEditor } from './last-editor.ts';
import { excerpt } from './read-context.ts';

/** Maximum share of the room for attachments that the file may take, because the user didn't ask for it. */
const MAX_SHARE = 0.1;
/** Code has fewer characters per token, so a longer text can't fit. It isn't counted, which would block for long. */
const MAX_CHARS_PER_TOKEN = 8;

interface ImplicitContextApp {
  readonly attachments: Attachments;
  readonly editor: LastEditor;
  readonly sessions: Pick<Sessions, 'current'>;
  readonly drafts: Pick<Drafts, 'get'>;
  readonly panel: Pick<ChatPanel, 'post'>;
  chosenModel(): Pick<ChosenModel, 'provider'>;
  describe(error: unknown): unknown;
}

/**
 * Attaches the active file to the next message, visibly and until the user removes it. A file is skipped in Restricted
 * Mode, if it's outside the workspace, if git (where available) ignores it, if its name suggests secrets, if it's too
 * large, or if the context already contains it verbatim.
 */
export class ImplicitContext {
  readonly #app: ImplicitContextApp;
  /** Sessions in which the user removed the automatic attachment. */
  readonly #declined = new Set<string>();
  #lastRefresh: Promise<void> = Promise.resolve();
  #waiting: Promise<void> | undefined;

  constructor(app: ImplicitContextApp) {
    this.#app = app;
  }

  decline(session: string): void {
    this.#declined.add(session);
  }

  /** Updates the automatic attachment, one call at a time. Never rejects, because messages can be sent without it. */
  refresh(): Promise<void> {
    // An update that hasn't begun yet serves this call, too: closing many tabs calls this for each.
    this.#waiting ??= this.#lastRefresh
      .then(() => {
        this.#waiting = undefined;
        return this.#refresh();
      })
      .catch((error: unknown) => void this.#app.describe(error));
    return (this.#lastRefresh = this.#waiting);
  }

  async #refresh(): Promise<void> {
    const { attachments, drafts, panel, sessions } = this.#app;
    const conversation = sessions.current;
    if (!conversation) return;
    const { file, tokens } = (await this.#file(conversation)) ?? {};
    const { id } = conversation.journal;
    if (!attachments.setImplicit(id, file, tokens)) return;
    const draft = { text: drafts.get(id), attachments: attachments.views(id) };
    panel.post({ type: 'draft', session: id, draft, focus: false });
  }

  async #file(conversation: Conversation): Promise<{ readonly file: Attachment; readonly tokens: number } | undefined> {
    const { attachments: pending, editor } = this.#app;
    const { journal } = conversation;
    const document = editor.current?.document;
    // The local provider doesn't use attachments.
    if (!document || !vscode.workspace.isTrusted || this.#app.chosenModel().provider === 'local') return undefined;
    if (!readSettings().chat.implicitContext) return undefined;
    const { uri } = document;
    if (uri.scheme === 'untitled' || isSecretFile(uri.path) || (await workspaceFilesOnly([uri])).length === 0)
      return undefined;
    const file = excerpt(document);
    const max = pending.room(conversation) * MAX_SHARE;
    if (file.text.length > max * MAX_CHARS_PER_TOKEN) return undefined;
    const tokens = await pending.tokens(conversation, file);
    // Checked last, because the user may have removed the attachment meanwhile.
    if (tokens > max || this.#declined.has(journal.id)) return undefined;
    const isSame = (one: Attachment): boolean => one.uri === file.uri && one.text === file.text;
    if (pending.explicitAttachments(journal.id).some(isSame)) return undefined;
    const queued = conversation.queue.items.map(({ message }) => message);
    const inContext = [...queued, ...[...journal.state.uncompressed()].map(({ message }) => message)];
    return inContext.some(({ attachments }) => attachments?.some(isSame)) ? undefined : { file, tokens };
  }
}
