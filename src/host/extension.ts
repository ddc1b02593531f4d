import * as vscode from 'vscode';
import { USED_KEY } from './platform/contribution-ids.ts';
import { Lazy } from './platform/lazy.ts';
import { registerEntryPoints } from './registration.ts';
import type { Threadkeeper } from './threadkeeper.ts';

/** For the test suite: the product, loaded if necessary. */
export interface ForTests {
  product(): Promise<Threadkeeper>;
}

/** Delay in ms before loading the product, so that the window and other extensions start first. */
const LOAD_DELAY_MS = 5_000;

let product: Lazy<Threadkeeper> | undefined;

/** Registers the entry points. The product is loaded when one of them is used. Exports nothing to other extensions. */
export function activate(context: vscode.ExtensionContext): ForTests | undefined {
  const lazy = new Lazy<Threadkeeper>(async () => {
    const { Threadkeeper } = await import('./threadkeeper.ts');
    return new Threadkeeper(context, summaries);
  }, startFailureText);
  const summaries = registerEntryPoints(context, () => lazy.get());
  product = lazy;
  const isUsed = context.workspaceState.get(USED_KEY) === true;
  if (isUsed || followsChats()) {
    const timer = setTimeout(() => void loadInBackground(lazy, isUsed), LOAD_DELAY_MS);
    context.subscriptions.push({ dispose: () => clearTimeout(timer) });
  }
  const followTools = (): void => {
    if (followsChats() || lazy.hasStarted) void loadInBackground(lazy, false);
  };
  context.subscriptions.push(
    vscode.workspace.onDidGrantWorkspaceTrust(followTools),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('threadkeeper.sources')) followTools();
    }),
  );
  return context.extensionMode === vscode.ExtensionMode.Test ? { product: () => lazy.get() } : undefined;
}

export async function deactivate(): Promise<void> {
  const ending = product;
  product = undefined;
  await ending?.close();
}

/** Whether the user has selected tools whose chats are copied. Nothing is read in Restricted Mode. */
function followsChats(): boolean {
  const tools = vscode.workspace.getConfiguration('threadkeeper').get<unknown>('sources.tools');
  return vscode.workspace.isTrusted && Array.isArray(tools) && tools.length > 0;
}

/** Shows the gauge of the newest session, if there is one, and follows the selected tools' chats. */
async function loadInBackground(product: Lazy<Threadkeeper>, isUsed: boolean): Promise<void> {
  try {
    const { sessions, chats } = await product.get();
    if (isUsed) await sessions.currentOrLatestIfAny();
    await chats.follow();
  } catch (error) {
    // Not shown to the user, because the next use of the product reports the error.
    console.error(error);
  }
}

function startFailureText(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  return vscode.l10n.t(
    'Threadkeeper couldn’t start. Reload the window. If the problem persists, install another version. Don’t uninstall the extension, or your sessions will be deleted. ({0})',
    reason,
  );
}
