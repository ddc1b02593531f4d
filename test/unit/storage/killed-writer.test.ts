import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inFolder, storeIn } from './test-store.ts';

const WRITER = fileURLToPath(new URL('./writer-process.ts', import.meta.url));
const KILLS = process.env['THREADKEEPER_LONG'] ? 1000 : 20;
/** Number of writers killed in turn per journal, so that each must also open a journal that a killed one left. */
const KILLS_PER_SESSION = 20;

describe('writer killed at any moment', function () {
  this.timeout(240_000 + KILLS * 5_000);

  it(`neither loses nor duplicates an acknowledged message (${KILLS} kills)`, async () => {
    let events = 0;
    let lost = 0;
    let doubled = 0;
    const orders: [kept: string[], acknowledged: string[]][] = [];
    for (let kills = 0; kills < KILLS; kills += KILLS_PER_SESSION) {
      await inFolder(async (folder) => {
        const session = await storeIn(folder, 'maker').create('Kill', '');
        await session.close();
        const acknowledged: string[] = [];
        for (let kill = 0; kill < KILLS_PER_SESSION; kill++)
          acknowledged.push(...(await killedWriter(folder, session.id, `w${kill}`)));
        const store = storeIn(folder, 'reader');
        const journal = await store.open(session.id);
        const inFile = (await readFile(join(folder, `${session.id}.jsonl`), 'utf8')).matchAll(/"id":"(w\d+-\d+)"/g);
        const written = Array.from(inFile, (match) => match[1]!);
        const acknowledgedIds = new Set(acknowledged);
        const read = [...journal.state.messages.keys()].map(String);
        const kept = read.filter((id) => acknowledgedIds.has(id));
        events += acknowledged.length;
        lost += acknowledged.filter((id) => !read.includes(id)).length;
        doubled += written.length - new Set(written).size;
        await store.close();
        orders.push([kept, acknowledged]);
      });
    }
    console.log(`      kills ${KILLS}, events ${events}, lost ${lost}, doubled ${doubled}`);
    assert.deepEqual({ lost, doubled }, { lost: 0, doubled: 0 });
    for (const [kept, acknowledged] of orders)
      assert.deepEqual(kept, acknowledged, 'the acknowledged messages, in their order');
    assert.ok(events > KILLS, 'the writers were killed while they wrote');
  });
});

/** Starts a writer, kills it a random time after its first acknowledgement, and returns the acknowledged messages. */
function killedWriter(folder: string, id: string, window: string): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [WRITER, folder, id, window, '0', '-1'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let errors = '';
    let aimed = false;
    child.stdout.on('data', (data: Buffer) => {
      output += data.toString();
      if (aimed) return;
      aimed = true;
      setTimeout(() => child.kill('SIGKILL'), Math.random() * 40);
    });
    child.stderr.on('data', (data: Buffer) => (errors += data.toString()));
    child.on('error', reject);
    child.on('close', (code) => {
      if (code !== null) reject(new Error(`the writer ended by itself (${code}): ${errors}`));
      // The text after the last line break is empty or an incomplete ID.
      else resolve(output.split('\n').slice(0, -1));
    });
  });
}
