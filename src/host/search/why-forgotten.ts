import * as vscode from 'vscode';
import { inform } from '../platform/inform.ts';
import { oneLine } from '../platform/l10n.ts';
import { expandNode, pinQuote } from '../../app/summary-changes.ts';
import { elsewhere, tellsOf, whereabouts, type Place } from '../../app/whereabouts.ts';
import { keyEventId } from '../../core/model/ids.ts';
import type { Conversation } from '../../app/conversation.ts';
import { openMessageDocument, openNodeDocument } from '../summaries/documents.ts';
import type { SearchApp } from './search-commands.ts';
import { levelName } from '../summaries/summary-facts.ts';

/** Places shown for one question. */
const MOST_PLACES = 12;
/** A pinned quote is at most this long, in UTF-16 units: it is sent with every request. */
const LONGEST_QUOTE = 400;

type PlaceItem = vscode.QuickPickItem & { readonly place: Place };

/** Says where something that the model forgot stands now, and offers to bring it back. */
export async function whyForgotten(app: SearchApp, argument?: unknown): Promise<void> {
  const conversation = await app.sessions.currentOrLatest();
  const title = vscode.l10n.t('Find Forgotten Information');
  const given = typeof argument === 'string' ? argument : undefined;
  const query =
    given ??
    (await vscode.window.showInputBox({
      title,
      prompt: vscode.l10n.t('Enter keywords for what the model forgot.'),
    }));
  if (query === undefined || query.trim() === '') return;
  const places = await placesOf(app, conversation, query);
  if (places.length === 0) {
    inform(vscode.l10n.t('No mention of “{0}” in this session.', query));
    return;
  }
  const items = places.map((place): PlaceItem => {
    const [icon, text] = standing(place);
    const description = place.position < 0 ? place.role : `${place.position + 1} · ${place.role}`;
    return { label: `$(${icon}) ${text}`, description, detail: oneLine(place.text, 160), place };
  });
  const placeHolder = vscode.l10n.t('Select a result to see what you can do');
  const picked = await vscode.window.showQuickPick(items, { title: query, placeHolder, matchOnDetail: true });
  if (picked) await bringBack(conversation, picked.place, app);
}

async function placesOf(app: SearchApp, conversation: Conversation, query: string): Promise<readonly Place[]> {
  const { state } = conversation;
  const hits = (await app.search(query)).filter(({ text }) => tellsOf(text, query)).slice(0, MOST_PLACES);
  if (hits.length === 0) return elsewhere(state, query, MOST_PLACES);
  return whereabouts(state, query, hits, conversation.context());
}

/** An icon and how a result reaches the model. */
function standing({ where }: Place): readonly [string, string] {
  switch (where.kind) {
    case 'window':
      return ['pass', vscode.l10n.t('In the context, verbatim')];
    case 'ledger':
      return ['pass', vscode.l10n.t('In the context as a key event')];
    case 'summary':
      return ['layers', vscode.l10n.t('In the summary “{0}” ({1})', where.node.title, levelName(where.level))];
    case 'archived':
      return ['archive', vscode.l10n.t('Compressed; not mentioned in the summary “{0}”', where.node.title)];
    case 'elsewhere':
      return ['git-branch', vscode.l10n.t('Deleted or on another branch')];
  }
}

type Way = vscode.QuickPickItem & { readonly take: () => Promise<void> };

async function bringBack(conversation: Conversation, place: Place, app: SearchApp): Promise<void> {
  const { journal } = conversation;
  const { where, message, position, start, text } = place;
  const quote = text.slice(0, LONGEST_QUOTE).trim();
  const open = {
    label: `$(go-to-file) ${vscode.l10n.t('Open message')}`,
    take: () => openMessageDocument(journal.id, message, position, quote),
  };
  const ways: Way[] = [open];
  if (where.kind === 'archived' || where.kind === 'summary') {
    const { node } = where;
    const at = start + text.indexOf(quote);
    ways.unshift(
      {
        label: `$(pin) ${vscode.l10n.t('Pin quote (included in every request)')}`,
        take: () =>
          pinQuote(journal, {
            ...{ id: keyEventId(app.clock.id()), message, kind: 'fact', quote },
            ...{ start: at, end: at + quote.length },
          }),
      },
      {
        label: `$(unfold) ${vscode.l10n.t('Send the original messages with the next request')}`,
        take: () => expandNode(journal, node.id, 'turn'),
      },
      {
        label: `$(discard) ${vscode.l10n.t('Always send the original messages instead of this summary')}`,
        take: () => expandNode(journal, node.id, 'always'),
      },
    );
    ways.push({
      label: `$(layers) ${vscode.l10n.t('Open summary')}`,
      take: () => openNodeDocument(journal.id, node),
    });
  }
  const way = await vscode.window.showQuickPick(ways, { title: standing(place)[1] });
  await way?.take();
}
