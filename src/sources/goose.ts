import path from 'node:path';
import type { Source } from '../app/library/source.ts';
import { isObject, stringOf, tryParse } from '../core/transcript/json-value.ts';
import { isRoleContent, readRoleContent } from '../core/transcript/role-content.ts';
import { parseMoment, type TranscriptSink } from '../core/transcript/transcript-message.ts';
import { textOf, type Databases } from './databases.ts';
import { dataFolders, endsIn, sourceOf, unknownFormat, type Finder, type Home } from './files.ts';
import { readRecords } from './lines.ts';

/** With the size of the messages, because two changes within a second have the same time. */
const SESSIONS = `
  SELECT sessions.*, bytes FROM sessions LEFT JOIN
    (SELECT session_id, sum(octet_length(content_json)) AS bytes FROM messages GROUP BY session_id)
    ON session_id = sessions.id`;

/** `sessions.db` since version 1.10, and before a JSONL file per session with metadata on its first line. */
export function goose(home: Home, databases: Databases): Source {
  return sourceOf(
    'goose',
    async (finder) => {
      for (const data of dataFolders(home)) {
        for (const name of ['goose/sessions', 'Block/goose/data/sessions']) {
          const root = path.join(data, name);
          await finder.addAll(root, endsIn('.jsonl'));
          await finder.stores(root, 'sessions.db', (store) => addRows(finder, databases, store));
        }
      }
    },
    async (file, sink, from) => {
      if (file.key === undefined)
        return readRecords(file, sink, (to) => ({ record: (one) => addRecord(one, to) }), from);
      const database = await databases.open(file.path);
      const rows = database.rows('SELECT * FROM messages WHERE session_id = ? ORDER BY id', file.key);
      for (const row of rows) {
        const content = tryParse(textOf(row['content_json']) ?? '');
        if (content === undefined) throw unknownFormat('Goose');
        readRoleContent({ role: row['role'], content }, sink, { at: parseMoment(row['created_timestamp']) });
      }
      return undefined;
    },
  );
}

async function addRows(finder: Finder, databases: Databases, store: string): Promise<void> {
  const database = await databases.open(store);
  for (const row of database.rows(SESSIONS)) {
    const id = String(row['id']);
    const title = [row['description'], row['name']].map(textOf).find((text) => text !== undefined && text !== '');
    const workspace = textOf(row['working_dir']);
    const createdAt = momentOf(row['created_at']);
    const modifiedAt = momentOf(row['updated_at']);
    finder.addRow(store, { id, title, workspace, createdAt }, { bytes: row['bytes'], modifiedAt });
  }
}

/** SQLite's timestamps are in UTC without saying so. */
function momentOf(value: unknown): number | undefined {
  const isBare = typeof value === 'string' && /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?$/.test(value);
  return parseMoment(isBare ? `${value.replace(' ', 'T')}Z` : value);
}

function addRecord(record: unknown, sink: TranscriptSink): void {
  if (isObject(record) && !isRoleContent(record)) {
    const [title, workspace] = [stringOf(record['description']), stringOf(record['working_dir'])];
    sink.about?.({ ...(title && { title }), workspace });
  } else readRoleContent(record, sink, { at: isObject(record) ? parseMoment(record['created']) : undefined });
}
