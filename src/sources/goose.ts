import path from 'node:path';
import type { Source } from '../app/library/source.ts';
import { isObject, stringOf, tryParse } from '../core/text/json-value.ts';
import { isRoleContent, readRoleContent } from '../core/transcript/role-content.ts';
import { parseTimestamp, type TranscriptSink } from '../core/transcript/transcript-message.ts';
import { columnText, type Databases } from './databases.ts';
import { createSource, dataFolders, hasExtension, unknownFormat, type Finder, type Home } from './files.ts';
import { readRecords } from './read-records.ts';

/**
 * Sessions with the size of their messages: `updated_at` is in whole seconds, so it doesn't show a second change within
 * the same second.
 */
const SESSIONS_QUERY = `
  SELECT sessions.*, bytes FROM sessions LEFT JOIN
    (SELECT session_id, sum(octet_length(content_json)) AS bytes FROM messages GROUP BY session_id)
    ON session_id = sessions.id`;

/**
 * Goose's sessions. Since version 1.10, they are in `sessions.db`; before, each was a JSONL file with metadata on its
 * first line.
 */
export function goose(home: Home, databases: Databases): Source {
  return createSource(
    'goose',
    async (finder) => {
      for (const data of dataFolders(home)) {
        for (const name of ['goose/sessions', 'Block/goose/data/sessions']) {
          const root = path.join(data, name);
          await finder.addFiles(root, hasExtension('.jsonl'));
          await finder.searchDatabases(root, 'sessions.db', (file) => addSessions(finder, databases, file));
        }
      }
    },
    async (file, sink, from) => {
      if (file.key === undefined)
        return readRecords(file, sink, (to) => ({ record: (one) => addRecord(one, to) }), from);
      const database = await databases.open(file.path);
      const rows = database.rows('SELECT * FROM messages WHERE session_id = ? ORDER BY id', file.key);
      for (const row of rows) {
        const content = tryParse(columnText(row['content_json']) ?? '');
        if (content === undefined) throw unknownFormat('Goose');
        readRoleContent({ role: row['role'], content }, sink, { at: parseTimestamp(row['created_timestamp']) });
      }
      return undefined;
    },
  );
}

async function addSessions(finder: Finder, databases: Databases, file: string): Promise<void> {
  const database = await databases.open(file);
  for (const row of database.rows(SESSIONS_QUERY)) {
    const id = String(row['id']);
    const title = [row['description'], row['name']].map(columnText).find((text) => text !== undefined && text !== '');
    const workspace = columnText(row['working_dir']);
    const createdAt = parseSqliteTime(row['created_at']);
    const modifiedAt = parseSqliteTime(row['updated_at']);
    finder.addFromDatabase(file, { id, title, workspace, createdAt }, { bytes: row['bytes'], modifiedAt });
  }
}

/** SQLite's timestamps are in UTC, but don't name the time zone. */
function parseSqliteTime(value: unknown): number | undefined {
  const hasNoTimeZone = typeof value === 'string' && /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?$/.test(value);
  return parseTimestamp(hasNoTimeZone ? `${value.replace(' ', 'T')}Z` : value);
}

function addRecord(record: unknown, sink: TranscriptSink): void {
  if (isObject(record) && !isRoleContent(record)) {
    const [title, workspace] = [stringOf(record['description']), stringOf(record['working_dir'])];
    sink.about?.({ ...(title && { title }), workspace });
  } else readRoleContent(record, sink, { at: isObject(record) ? parseTimestamp(record['created']) : undefined });
}
