import { verifyJournal } from '../storage/verify-journal.ts';
import type { Verb } from './verb.ts';

export const verb: Verb = {
  help: `Usage: threadkeeper verify JOURNAL [--json]

Checks a session's journal: each line's checksum and shape, and that the sequence runs
without gaps. Ends with 1 and the first fault when it is not sound.

  --json   {"ok":true,"events"} or {"ok":false,"line","fault"}, "line" counted from 1
`,
  options: {},
  async run({ file, json, output }) {
    const verified = await verifyJournal(file);
    if (json) await output.json(verified);
    else if (verified.ok) await output.write(`${file} is sound, events: ${verified.events}\n`);
    else await output.note(`${file}, line ${verified.line}: ${verified.fault}`);
    return verified.ok ? 0 : 1;
  },
};
