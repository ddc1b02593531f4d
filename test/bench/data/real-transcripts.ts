import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { readTranscriptFile } from '../../../src/cli/transcript-file.ts';
import type { TranscriptMessage } from '../../../src/core/transcript/transcript-message.ts';
import { SHARED_DATA } from '../../support/test-data.ts';

/** A transcript of a developer's session, or of a meeting (QMSum, a data set of meetings). */
export interface RealTranscript {
  readonly name: string;
  readonly isDeveloper: boolean;
  readonly messages: readonly TranscriptMessage[];
}

/** The path of a file or folder in the data folder; undefined if it's absent. */
export function sharedFile(name: string): string | undefined {
  const file = path.join(SHARED_DATA, name);
  return existsSync(file) ? file : undefined;
}

/** The shared transcripts; empty if the data is absent. */
export async function realTranscripts(): Promise<readonly RealTranscript[]> {
  const dev = sharedFile('dev');
  if (dev === undefined) return [];
  const files = readdirSync(dev).filter((name) => name.endsWith('.jsonl'));
  return Promise.all(
    files.sort().map(async (name) => {
      const transcript = await readTranscriptFile(path.join(dev, name));
      return { name: name.replace('.jsonl', ''), isDeveloper: !name.startsWith('qmsum'), messages: transcript };
    }),
  );
}
