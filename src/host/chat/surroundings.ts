import * as vscode from 'vscode';
import type { Conversation } from '../../app/conversation.ts';
import type { SessionSummary, SessionJournal } from '../../app/ports.ts';
import type { DraftView, ModelView, SessionView, SettingsView } from '../../protocol/views.ts';
import type { Attachments } from './attachments.ts';
import type { Drafts } from './drafts.ts';
import type { ChosenModel, Models } from '../models/models.ts';
import { isSet, readSettings } from '../platform/settings.ts';
import { translated } from '../platform/translated.ts';
import { sessionView } from './views.ts';

/** What the page shows beside the conversation; owned by the host. */
export interface PageSurroundings {
  readonly sessions: () => Promise<readonly SessionView[]>;
  readonly model: () => ModelView;
  readonly settings: () => SettingsView;
  readonly draft: (conversation: Conversation) => DraftView;
  readonly notice: () => string | null;
  readonly untitled: string;
}

export interface SurroundingsDeps {
  readonly list: () => Promise<readonly SessionSummary[]>;
  readonly models: Models;
  readonly drafts: Drafts;
  readonly attachments: Attachments;
  readonly chosenModel: () => ChosenModel;
  readonly modelReady: () => boolean;
}

/** How a session without a title is shown. */
export const untitled = (): string => vscode.l10n.t('New session');

/** What the page shows beside the conversation of `journal`. */
export function pageSurroundings(deps: SurroundingsDeps, journal: SessionJournal): PageSurroundings {
  return {
    sessions: async () => (await deps.list()).map((one) => sessionView(one, untitled())),
    model: () => {
      const chosen = deps.chosenModel();
      const { provider, model } = chosen;
      return {
        provider,
        model,
        label: deps.models.label(chosen),
        takesImages: deps.models.takesImages(chosen),
        ready: deps.modelReady(),
        assumed: journal.state.provider === undefined && !isSet('chat.provider'),
      };
    },
    settings: () => {
      const { enterSends, sendWhileResponding, pasteAsAttachmentAbove } = readSettings().chat;
      return { enterSends, sendWhileResponding, pasteAsAttachmentAbove, locale: vscode.env.language };
    },
    draft: () => ({ text: deps.drafts.get(journal.id), attachments: deps.attachments.views(journal.id) }),
    notice: () => (journal.notice === undefined ? null : translated(journal.notice)),
    untitled: untitled(),
  };
}
