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
  async run({ file, json, output }) {
    const verified = await verifyJournal(file).catch((error: unknown) => {
      throw unreadableFile(file, error);
    });
    if (json) await output.json(verified);
    else if (verified.ok) await output.write(`${file}: no problems found, entries: ${verified.events}\n`);
    else await output.note(`${file}, line ${verified.line}: ${verified.fault}`);
    return verified.ok ? 0 : 1;
  },
};
