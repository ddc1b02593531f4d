import { verifyJournal } from '../storage/verify-journal.ts';
import { unreadableFile } from './transcript-file.ts';
import type { Command } from './command.ts';

export const command: Command = {
  help: `Usage: threadkeeper verify JOURNAL [--json]

Checks a session journal: the checksum and structure of each line, and that there are no
gaps. If the journal is damaged or was written by a newer version, prints the first error
and exits with code 1.

  --json   {"ok":true,"events"} or {"ok":false,"line","fault"}, with a 1-based "line"
`,
  options: {},
  async run({ file }) {
    const verified = await verifyJournal(file).catch((error: unknown) => {
      throw unreadableFile(file, error);
    });
    return verified.ok
      ? { json: verified, text: `${file}: no problems found, entries: ${verified.events}\n` }
      : { json: verified, text: '', notes: [`${file}, line ${verified.line}: ${verified.fault}`], exitCode: 1 };
  },
};
