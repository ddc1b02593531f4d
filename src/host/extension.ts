import * as vscode from 'vscode';
import { Late } from './platform/lazy.ts';
import { registerAtOnce } from './registration.ts';
import type { Threadkeeper } from './threadkeeper.ts';

/** What the test suite gets: the running product, read if it was not needed yet. */
export interface ForTests {
  product(): Promise<Threadkeeper>;
}

let product: Late<Threadkeeper> | undefined;

/** Registers what can wake the product, which is read when one of these is used. Gives nothing to other extensions. */
export function activate(context: vscode.ExtensionContext): ForTests | undefined {
  const late = new Late<Threadkeeper>(async () => {
    const { Threadkeeper } = await import('./threadkeeper.ts');
    return new Threadkeeper(context, summaries);
  }, couldNotStart);
  const summaries = registerAtOnce(context, () => late.get());
  product = late;
  return context.extensionMode === vscode.ExtensionMode.Test ? { product: () => late.get() } : undefined;
}

export async function deactivate(): Promise<void> {
  const ending = product;
  product = undefined;
  await ending?.end();
}

function couldNotStart(error: unknown): string {
  const why = error instanceof Error ? error.message : String(error);
  return vscode.l10n.t('Threadkeeper could not start. If it is so after a reload, install it anew. ({0})', why);
}
