import * as vscode from 'vscode';
import type { SessionSummary, SessionJournal } from '../../app/ports.ts';
import type { Attachments } from './attachments.ts';
import type { Drafts } from './drafts.ts';
import type { ChosenModel, Models } from '../models/models.ts';
import { isSet, readSettings } from '../platform/settings.ts';
import { translated } from '../platform/l10n.ts';
import { sessionView } from './views.ts';

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

export type PageSurroundings = ReturnType<typeof pageSurroundings>;

/** What the page shows beside the conversation of `journal`; owned by the host. */
export function pageSurroundings(deps: SurroundingsDeps, journal: SessionJournal) {
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
