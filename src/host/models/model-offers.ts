import * as vscode from 'vscode';
import { ModelFault } from '../../app/fault.ts';
import type { OfferView } from '../../protocol/views.ts';
import { LABEL } from './keys.ts';
import { at, localServers, modelItem, modelItems, type ModelItem } from './model-items.ts';
import { chooseFrom, chooseModel, selectModel } from './model-picker.ts';
import type { ChosenModel } from './models.ts';
import type { ModelsApp } from './models-app.ts';

/** Who has not answered by then is not offered: the user waits for the first reply, in ms. */
const TIMEOUT_MS = 1_500;
/** Models that a button names. */
const MAX_NAMES = 2;

/** One button; `take` answers false when the user gives it up. */
interface ModelOffer extends OfferView {
  readonly take: () => Promise<boolean>;
}

/** Ways to a model for a session that has none: those first that need nothing more of the user. */
export async function modelOffers(app: ModelsApp): Promise<readonly ModelOffer[]> {
  const [recent] = app.recentModels.all();
  const address = at('compatible').baseUrl;
  const own = address === '' ? [] : [{ title: address, baseUrl: address }];
  const found = await Promise.all([
    offerOf(app, vscode.l10n.t('VS Code language models'), at('vscode')),
    ...[...own, ...localServers()].map(({ title, baseUrl }) =>
      offerOf(app, title, { provider: 'compatible', model: 'list', baseUrl }),
    ),
  ]);
  return [
    ...(recent
      ? [
          {
            label: app.models.label(recent),
            detail: vscode.l10n.t('Recently used'),
            take: () => chooseFrom(app, [modelItem(app, recent)]),
          },
        ]
      : []),
    ...found.filter((offer) => offer !== undefined),
    ...(await Promise.all((['openai', 'anthropic'] as const).map((provider) => keyed(app, provider)))),
    { label: vscode.l10n.t('All Models…'), detail: '', take: () => chooseModel(app) },
    { label: vscode.l10n.t('Continue Without a Model'), detail: '', take: () => searchOnly(app) },
  ];
}

/** What a server or the editor offers; undefined where there is nothing. */
async function offerOf(app: ModelsApp, label: string, from: ChosenModel): Promise<ModelOffer | undefined> {
  let items: readonly ModelItem[];
  try {
    items = await modelItems(app, from, AbortSignal.timeout(TIMEOUT_MS));
  } catch (error) {
    if (!ModelFault.is(error)) throw error;
    return undefined;
  }
  if (items.length === 0) return undefined;
  const names = items.slice(0, MAX_NAMES).map((item) => item.chosen.model);
  const detail = [...names, ...(items.length > MAX_NAMES ? ['…'] : [])].join(', ');
  return { label, detail, take: () => chooseFrom(app, items) };
}

async function keyed(app: ModelsApp, provider: 'openai' | 'anthropic'): Promise<ModelOffer> {
  const isReady = await app.models.isReady(at(provider));
  const detail = isReady ? vscode.l10n.t('API key saved') : vscode.l10n.t('needs an API key');
  return { label: LABEL[provider], detail, take: () => chooseFrom(app, provider) };
}

/** The session stays without a model; the question is not asked again. */
async function searchOnly(app: ModelsApp): Promise<boolean> {
  await selectModel(app, await app.sessions.currentOrLatest(), 'local', 'local');
  return false;
}
