import type { ChatQuote } from '../../app/session-archive.ts';
import { openFolders } from '../platform/workspace-files.ts';
import type { ExternalChats } from './external-chats.ts';

/** The best quotes for a query from the copied chats of the open folders. Secrets are masked. */
export async function quoteChats(
  chats: Pick<ExternalChats, 'list' | 'library'>,
  query: string,
  limit: number,
): Promise<readonly ChatQuote[]> {
  const folders = openFolders();
  const { chats: copied } = folders.length === 0 ? { chats: [] } : await chats.list();
  if (copied.length === 0) return [];
  const entries = new Map(copied.map(({ key, entry }) => [key, entry]));
  const hits = await chats.library.search({ text: query, limit, folders, redact: true });
  return hits.flatMap(({ key, message, role, text }) => {
    const entry = entries.get(key);
    return entry ? [{ tool: entry.tool, title: entry.title, message, role, text }] : [];
  });
}
