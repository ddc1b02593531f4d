import * as vscode from 'vscode';
import { COMMAND, type CommandId } from './ids.ts';
import type { Product } from './product.ts';

export type Handler = (app: Product, argument?: unknown, more?: unknown) => Promise<void>;

/** How most people wake the extension: there is nothing to be read for these first. */
const READY = {
  [COMMAND.openChat]: async (app) => {
    app.panel.open();
    await app.sessions.currentOrLatest();
  },
  [COMMAND.newSession]: async (app) => {
    await app.sessions.startAfresh();
    app.panel.open();
  },
} as const satisfies Partial<Record<CommandId, Handler>>;
export type ReadyCommand = keyof typeof READY;

const isReady = (id: CommandId): id is ReadyCommand => id in READY;

/** The handlers of the other commands are read with the first of them that is called. */
async function handlerOf(id: CommandId): Promise<Handler> {
  return isReady(id) ? READY[id] : (await import('./command-handlers.ts')).HANDLERS[id];
}

/** Every command of the palette, each one use case. A failure is told once, in one sentence with a way out. */
export function registerCommands(app: Product): vscode.Disposable[] {
  return Object.values(COMMAND).map((id) =>
    vscode.commands.registerCommand(id, async (argument?: unknown, more?: unknown) => {
      try {
        const handler = await handlerOf(id);
        await handler(app, argument, more);
      } catch (error) {
        const { tell } = await import('./page-commands.ts');
        await tell(app, error);
      }
    }),
  );
}
