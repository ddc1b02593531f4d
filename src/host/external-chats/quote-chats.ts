import { TOOL_NAMES } from '../../app/library/source.ts';
import type { Citation } from '../../app/session-archive.ts';
import { openFolders } from '../platform/workspace-files.ts';
import type { ExternalChats } from './external-chats.ts';

/** The best quotes for a query from the copied chats of the open folders. Secrets are masked. */
export async function quoteChats(
  chats: Pick<ExternalChats, 'list' | 'library'>,
  query: string,
  limit: number,
): Promise<readonly Citation[]> {
  const folders = openFolders();
  const { chats: copied } = folders.length === 0 ? { chats: [] } : await chats.list();
  if (copied.length === 0) return [];
  const titles = new Map(copied.map(({ key, entry }) => [key, `${TOOL_NAMES[entry.tool]}: ${entry.title}`]));
  const hits = await chats.library.search({ text: query, limit, folders, redact: true });
  return hits.flatMap(({ key, message, role, text }) => {
    const session = titles.get(key);
    return session === undefined ? [] : [{ session, message: message + 1, role, text }];
  });
}
