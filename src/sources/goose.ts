import path from 'node:path';
import type { Source } from '../app/library/source.ts';
import { isObject, textAt } from '../core/text/json-value.ts';
import { phrase } from '../core/text/phrase.ts';
import { joinTextBlocks, readContent, isRoleContent, readRoleContent } from '../core/transcript/content-parts.ts';
import { parseTimestamp, type TranscriptSink } from '../core/transcript/transcript-message.ts';
import { columnJson, columnText, type Databases, type Row } from './sqlite-databases.ts';
import { dataFolders, type Home } from './home-folders.ts';
import { fieldsOf, unknownFormat } from './read-files.ts';
import { createSource, hasExtension, type Finder } from './session-finder.ts';
import { readRecords } from './read-records.ts';

/** The size shows a second change within the same second; `updated_at` has whole seconds. */
const SESSIONS_QUERY = `
  SELECT sessions.*, bytes FROM sessions LEFT JOIN
    (SELECT session_id, sum(octet_length(content_json)) AS bytes FROM messages GROUP BY session_id)
    ON session_id = sessions.id`;

/** Goose's sessions: `sessions.db` since version 1.10; before, JSONL files with metadata on the first line. */
export function goose(home: Home, databases: Databases): Source {
  return createSource(
    'goose',
    async (finder) => {
      const moved = home.env['GOOSE_PATH_ROOT'];
      const roots = [
        ...(moved ? [path.resolve(moved, 'data/sessions')] : []),
        ...dataFolders(home).flatMap((data) =>
          ['goose/sessions', 'Block/goose/data/sessions'].map((name) => path.join(data, name)),
        ),
      ];
      for (const root of roots) {
        await finder.addFiles(root, hasExtension('.jsonl'));
        await finder.searchDatabases(root, 'sessions.db', (file) => addSessions(finder, databases, file));
      }
    },
    async (file, sink, from) => {
      if (file.key === undefined)
        return readRecords(file, sink, (to) => ({ record: (one) => addRecord(one, to) }), from);
      addMessages((await databases.open(file.path)).rows(MESSAGES_QUERY, file.key), sink);
      return undefined;
    },
  );
}

const MESSAGES_QUERY = 'SELECT * FROM messages WHERE session_id = ? ORDER BY id';

/**
 * Adds the messages that the user saw. A compaction in Goose hides earlier messages from the model, and adds a summary
 * and a request to continue that only the model sees. It also repeats the newest request, and hides the original from
 * both the user and the model.
 */
function addMessages(rows: readonly Row[], sink: TranscriptSink): void {
  const visibility = rows.map((row) => fieldsOf(columnJson(row['metadata_json'])));
  const isHidden = (index: number): boolean => visibility[index]?.['userVisible'] === false;
  for (const [index, row] of rows.entries()) {
    const content = columnJson(row['content_json']);
    if (content === undefined) throw unknownFormat('Goose');
    const at = parseTimestamp(row['created_timestamp']);
    if (!isHidden(index)) readRoleContent({ role: row['role'], content }, sink, { at });
    else if (visibility[index]?.['agentVisible'] === false) sink.skip(phrase('hidden message'));
    else if (row['role'] === 'user' && isHidden(index + 1) && rows[index + 1]?.['role'] === 'assistant')
      sink.addCompaction({ summary: joinTextBlocks(readContent(content, sink)), at });
    else sink.skip(phrase('context added by the tool'));
  }
}

async function addSessions(finder: Finder, databases: Databases, file: string): Promise<void> {
  const database = await databases.open(file);
  for (const row of database.rows(SESSIONS_QUERY)) {
    const id = String(row['id']);
    const title = [row['description'], row['name']].map(columnText).find((text) => text !== undefined && text !== '');
    const workspace = columnText(row['working_dir']);
    const parent = columnText(row['parent_session_id']);
    const createdAt = parseSqliteTime(row['created_at']);
    const modifiedAt = parseSqliteTime(row['updated_at']);
    finder.addFromDatabase(file, { id, title, workspace, parent, createdAt }, { bytes: row['bytes'], modifiedAt });
  }
}

/** SQLite's timestamps are in UTC, but don't name the time zone. */
function parseSqliteTime(value: unknown): number | undefined {
  const hasNoTimeZone = typeof value === 'string' && /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?$/.test(value);
  return parseTimestamp(hasNoTimeZone ? `${value.replace(' ', 'T')}Z` : value);
}

function addRecord(record: unknown, sink: TranscriptSink): void {
  if (isObject(record) && !isRoleContent(record)) {
    const [title, workspace] = [textAt(record, 'description'), textAt(record, 'working_dir')];
    sink.addFacts({ ...(title && { title }), workspace });
  } else readRoleContent(record, sink, { at: isObject(record) ? parseTimestamp(record['created']) : undefined });
}
