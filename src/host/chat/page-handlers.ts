import type { RequestHandlers } from '../../protocol/requests.ts';
import { compressionHandlers } from './compression-handlers.ts';
import type { HandlerDeps } from './handler-deps.ts';
import { historyHandlers } from './history-handlers.ts';
import { readingHandlers } from './reading-handlers.ts';
import { sessionHandlers } from './session-handlers.ts';
import { writingHandlers } from './writing-handlers.ts';

/** What the page may ask, each mapped to one use case. */
export function pageHandlers(deps: HandlerDeps): RequestHandlers {
  return {
    ...writingHandlers(deps),
    ...readingHandlers(deps),
    ...historyHandlers(deps),
    ...compressionHandlers(deps),
    ...sessionHandlers(deps),
  };
}
