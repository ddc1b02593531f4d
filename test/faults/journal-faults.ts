import { LIVES, planted, type Catcher } from './planted-fault.ts';

const FOLD: Catcher = {
  spec: 'test/property/storage/fold.test.ts',
  title: 'is the same as one that never was, in a window that writes, one that follows, and in the list',
};
const DAMAGE = 'test/property/storage/damage.test.ts';
const DAMAGED_JOURNAL: Catcher = {
  spec: DAMAGE,
  title: 'in a journal: everything undamaged is read, nothing is deleted',
};
const DAMAGED_CHECKPOINT: Catcher = {
  spec: DAMAGE,
  title: 'in a checkpoint: list and sessions show what the journals hold',
};

const KILLED: Catcher = {
  spec: 'test/property/storage/kill.test.ts',
  title: 'at any byte leaves the state before or after an event, from its checkpoint or without, and writing goes on',
};
const SNAPSHOT: Catcher = {
  spec: 'test/property/storage/snapshot.test.ts',
  title: 'stays within its bound and is read back as it was',
};
const NEW_JOURNAL: Catcher = {
  spec: 'test/property/storage/snapshot.test.ts',
  title: 'gives a new journal the newest messages, the summaries in their places, and every key event it kept',
};

/** What is kept of a session, and what comes back of it. */
export const JOURNAL_FAULTS = [
  ...planted(
    'fold',
    FOLD,
    {
      what: 'the parent of a message on another branch is lost in the checkpoint',
      file: 'src/storage/journal-reader.ts',
      find: 'parent === this.state.head ? 0 : parent, ROLES',
      put: '0, ROLES',
    },
    {
      what: 'the checkpoint forgets a reply that was arriving',
      file: 'src/storage/journal-reader.ts',
      find: 'replies: [...this.#replies.values()].flat(),',
      put: 'replies: [...this.#replies.values()].flatMap((parts) => parts.slice(1)),',
    },
    {
      what: 'the checkpoint leaves out changes of the task',
      file: 'src/storage/journal-reader.ts',
      find: "case 'usage_recorded':\n        return;",
      put: "case 'usage_recorded':\n      case 'task_reset':\n        return;",
    },
    {
      what: 'a message that came twice counts twice',
      file: 'src/core/state/session-state.ts',
      find: 'if (isNew) this.counters.messagesEver++;',
      put: 'if (message) this.counters.messagesEver++;',
    },
  ),
  ...planted(
    'fold',
    LIVES,
    {
      what: 'what was spent is not in the checkpoint',
      file: 'src/storage/journal-reader.ts',
      find: 'Object.assign(this.state.counters, stored.spent);',
      put: '',
    },
    {
      what: 'a journal opened anew has its pins in another order',
      file: 'src/storage/journal-reader.ts',
      find: 'for (const entry of stored.entries) {',
      put: 'for (const entry of stored.entries.filter((one) => !("body" in one) || one.body.type !== "event_pinned")) {',
    },
  ),
  ...planted(
    'set-aside',
    DAMAGED_JOURNAL,
    {
      what: 'a torn end is cut off and kept nowhere',
      file: 'src/storage/set-aside.ts',
      find: 'await copyTo(path, file, from);',
      put: '',
    },
    {
      what: 'a line that comes behind a gap is not read',
      file: 'src/storage/journal-lines.ts',
      find: "return seq === before + 1 ? 'next' : 'gap';",
      put: "return seq === before + 1 ? 'next' : 'overtaken';",
    },
  ),
  ...planted(
    'set-aside',
    DAMAGED_CHECKPOINT,
    {
      what: 'a damaged checkpoint is believed',
      file: 'src/storage/checkpoint.ts',
      find: "if (bytes.toString('latin1', 0, 8) !== nativeChecksum(json)) return undefined;",
      put: '',
    },
    {
      what: 'another session’s checkpoint is believed',
      file: 'src/storage/checkpoint.ts',
      find: 'head.id === id && (await file.stat()).size >= head.offset && (await markAt(file, head.offset)) === head.mark',
      put: 'head.offset >= 0',
    },
  ),
  ...planted(
    'snapshot-bound',
    SNAPSHOT,
    {
      what: 'the newest messages take what room there is',
      file: 'src/storage/snapshot.ts',
      find: 'const bodies = room.takeRun(newestFirst(state), BODIES_BYTES)',
      put: 'const bodies = room.takeRun(newestFirst(state), Infinity)',
    },
    {
      what: 'the sessions of all windows are kept, whatever they take',
      file: 'src/storage/snapshot.ts',
      find: 'if (bytes <= left) {',
      put: 'if (bytes <= left + 4000) {',
    },
  ),
  ...planted(
    'snapshot-restores',
    NEW_JOURNAL,
    {
      what: 'messages come back newest first',
      file: 'src/storage/snapshot.ts',
      find: 'bodies: bodies.reverse(),',
      put: 'bodies,',
    },
    {
      what: 'a summary of one message takes two places in the branch',
      file: 'src/storage/snapshot.ts',
      find: '[...new Set(positions)]',
      put: '[...positions]',
    },
    {
      what: 'a summary has its first message alone in the branch',
      file: 'src/storage/snapshot.ts',
      find: 'position < to), to]);',
      put: 'position < to)]);',
    },
    {
      what: 'key events are not restored where there are no summaries',
      file: 'src/storage/snapshot.ts',
      find: 'if (frontier.length > 0 || ledger.length > 0) {',
      put: 'if (frontier.length > 0) {',
    },
  ),
  ...planted(
    'kill',
    KILLED,
    {
      what: 'a checkpoint is believed beyond the end of its journal',
      file: 'src/storage/checkpoint.ts',
      find: '(await file.stat()).size >= head.offset && (await markAt(file, head.offset)) === head.mark',
      put: 'head.offset >= 0',
    },
    {
      what: 'an event that lacks its newline alone is thrown away',
      file: 'src/storage/session-journal.ts',
      find: 'if (await reader.lacksNewlineAlone(tail)) {',
      put: 'if (tail < 0) {',
    },
    {
      what: 'an event that lacks its newline alone is not read before the next time',
      file: 'src/storage/session-journal.ts',
      find: "await append.write(Buffer.from('\\n'));\n        await reader.readOn();",
      put: "await append.write(Buffer.from('\\n'));",
    },
  ),
];
