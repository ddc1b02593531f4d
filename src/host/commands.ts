import type { CommandId } from './platform/ids.ts';
import type { Product } from './product.ts';
import { READY, type Handler, type ReadyCommand } from './ready-commands.ts';

const isReady = (id: CommandId): id is ReadyCommand => id in READY;

/** The handlers of the other commands are read with the first of them that is called. */
async function handlerOf(id: CommandId): Promise<Handler> {
  return isReady(id) ? READY[id] : (await import('./command-handlers.ts')).HANDLERS[id];
}

/** Runs a command of the palette, one use case. A failure is told once, in one sentence with a way out. */
export async function runCommand(app: Product, id: CommandId, argument: unknown, more: unknown): Promise<void> {
  try {
    const handler = await handlerOf(id);
    await handler(app, argument, more);
  } catch (error) {
    const { tell } = await import('./page-commands.ts');
    await tell(app, error);
  }
}
