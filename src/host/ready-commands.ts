import { COMMAND, type CommandId } from './platform/ids.ts';
import type { Product } from './product.ts';

export type Handler = (app: Product, argument?: unknown, more?: unknown) => Promise<void>;

/** How most people wake the extension: there is nothing to be read for these first. */
export const READY = {
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
