import assert from 'node:assert/strict';
import { copyFile, mkdtemp, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import type { Threadkeeper } from '../../src/host/threadkeeper.ts';
import { importPreviewed } from '../../src/host/import-export/import-file.ts';
import { scanTranscript, type ImportProgress } from '../../src/host/import-export/transcript-batches.ts';
import { folderForAllTests } from '../support/per-test.ts';
import { answering, collectIn, product, rejection, run, transcript } from './product.ts';

const FORMATS: Readonly<Record<string, string>> = {
  'aider.chat.history.md': 'aider',
  'anthropic.json': 'messages',
  'chatgpt-conversations.json': 'chatgpt',
  'claude-code.jsonl': 'claude-code',
  'codex.jsonl': 'codex',
  'openai.json': 'messages',
  'openai.jsonl': 'messages',
  'specstory.md': 'specstory',
  'vscode-chat.json': 'vscode-chat',
};

const neverCancelled = (): ImportProgress & { readonly shares: number[] } => {
  const shares: number[] = [];
  return { shares, report: (share) => shares.push(share), isCancelled: () => false };
};

const line = (n: number): string => JSON.stringify({ role: n % 2 === 0 ? 'user' : 'assistant', content: `said ${n}` });

describe('transcript import in the editor', () => {
  let app: Threadkeeper;
  before(async () => (app = await product()));
  let folder: string;
  const file = (name: string): vscode.Uri => vscode.Uri.file(path.join(folder, name));
  folderForAllTests((made) => (folder = made));

  it('detects every format by its content, regardless of the file name', async () => {
    const fixtures = path.join(app.extensionUri.fsPath, 'test/fixtures/transcripts');
    assert.deepEqual((await readdir(fixtures)).sort(), Object.keys(FORMATS).sort());
    for (const [index, [name, format]] of Object.entries(FORMATS).entries()) {
      const renamed = file(`${index}.txt`);
      await copyFile(path.join(fixtures, name), renamed.fsPath);
      const preview = await scanTranscript(renamed, neverCancelled());
      assert.equal(preview?.format, format, name);
      assert.equal(await importPreviewed(app, renamed, preview, neverCancelled()), preview.messages, name);
      assert.ok(app.sessions.current);
      const messages = transcript(app.sessions.current);
      assert.equal(messages.length, preview.messages, name);
      const [begun, ended] = [/^<{5,} SEARCH$/m, /^>{5,} REPLACE$/m].map((mark) =>
        messages.filter((text) => mark.test(text)),
      );
      assert.deepEqual(begun, ended, `${name}: an edit ends in the message that it begins in`);
    }
  });

  it('keeps the chosen model, and names an aider history after its folder', async () => {
    const fixture = path.join(app.extensionUri.fsPath, 'test/fixtures/transcripts/aider.chat.history.md');
    const project = await mkdtemp(path.join(folder, 'project-'));
    const history = path.join(project, '.aider.chat.history.md');
    await copyFile(fixture, history);
    const { journal } = await app.sessions.create();
    await journal.append({ type: 'model_selected', provider: 'local', model: 'chosen before' });
    await run('importTranscript', vscode.Uri.file(history));
    const imported = app.sessions.current!.state;
    assert.notEqual(imported.id, journal.id);
    assert.deepEqual([imported.title, imported.model], [path.basename(project), 'chosen before']);
    await run('openSampleSession');
    assert.equal(app.sessions.current?.state.model, undefined, 'the sample needs none');
  });

  it('names a session after the chat’s title in the file', async () => {
    const thread = file('thread.json');
    await writeFile(thread.fsPath, JSON.stringify({ threadName: 'Ports', messages: [JSON.parse(line(0))] }));
    await run('importTranscript', thread);
    assert.equal(app.sessions.current?.state.title, 'Ports');
  });

  it('previews imported and skipped messages, and imports once the user agrees', async () => {
    const chosen = file('chosen.jsonl');
    await writeFile(
      chosen.fsPath,
      [line(0), line(1), 'no JSON', '{"role":"narrator","content":"x"}', line(2)].join('\n'),
    );
    let shown: readonly vscode.QuickPickItem[] = [];
    const said: string[] = [];
    const asked = {
      showOpenDialog: () => Promise.resolve([chosen]),
      showQuickPick: (rows: readonly vscode.QuickPickItem[]) => {
        shown = rows;
        return Promise.resolve(rows[0]);
      },
      showInformationMessage: collectIn(said),
    };
    await answering(asked, () => app.runCommand('importTranscript'));
    assert.match(shown[0]?.label ?? '', /Import 3 Messages/);
    assert.match(shown[0]?.detail ?? '', /2 × You · 1 × Assistant/);
    assert.match(shown[1]?.detail ?? '', /1 × invalid JSON line, 1 × message with role “narrator”/);
    const lines = shown.slice(3).map(({ label, detail }) => `${label}: ${detail}`);
    assert.deepEqual(lines, ['You: said 0', 'Assistant: said 1', 'You: said 2']);
    assert.deepEqual(said, ['Imported 3 messages. Skipped: 1 × invalid JSON line, 1 × message with role “narrator”.']);
    assert.ok(app.sessions.current);
    assert.deepEqual(transcript(app.sessions.current), ['user: said 0', 'assistant: said 1', 'user: said 2']);
  });

  it('changes nothing when the user declines', async () => {
    const before = (await app.sessions.currentOrLatest()).journal.id;
    const chosen = file('declined.jsonl');
    await writeFile(chosen.fsPath, line(0));
    const asked = { showOpenDialog: () => Promise.resolve([chosen]), showQuickPick: () => Promise.resolve(undefined) };
    await answering(asked, () => app.runCommand('importTranscript'));
    assert.equal(app.sessions.current?.journal.id, before);
    assert.ok((await app.sessions.list()).every(({ title }) => title !== 'declined'));
  });

  it('reads a large file in chunks, and reports its progress', async () => {
    const large = file('large.jsonl');
    const lines = Array.from({ length: 10_000 }, (_, n) => line(n).replace('said', 'said a little more of'));
    await writeFile(large.fsPath, lines.join('\n'));
    const watch = neverCancelled();
    const preview = await scanTranscript(large, watch);
    assert.equal(preview?.messages, 10_000);
    assert.ok(watch.shares.length > 5 && watch.shares.at(-1) === 1);
    const expected = [...watch.shares].sort((a, b) => a - b);
    assert.deepEqual(watch.shares, expected);
    assert.equal(await importPreviewed(app, large, preview, neverCancelled()), 10_000);
    assert.equal(app.sessions.current?.state.path.length, 10_000);
  });

  it('leaves no session behind when cancelled halfway, and reopens the previous one', async () => {
    const before = (await app.sessions.create('Kept')).journal.id;
    const large = file('half.jsonl');
    await writeFile(large.fsPath, Array.from({ length: 20_000 }, (_, n) => line(n)).join('\n'));
    const preview = await scanTranscript(large, neverCancelled());
    assert.ok(preview);
    let reports = 0;
    const cancelsAfterThree: ImportProgress = { report: () => reports++, isCancelled: () => reports > 3 };
    assert.equal(await importPreviewed(app, large, preview, cancelsAfterThree), undefined);
    assert.ok(reports > 3, 'it had begun');
    assert.equal(app.sessions.current?.journal.id, before);
    assert.ok((await app.sessions.list()).every(({ title }) => !title.includes('half')));
    reports = 4;
    assert.equal(await scanTranscript(large, cancelsAfterThree), undefined);
  });

  it('stops when another session is opened halfway, keeps that one open, and leaves no session behind', async () => {
    const before = (await app.sessions.create('Wanted meanwhile')).journal.id;
    const large = file('left.jsonl');
    await writeFile(large.fsPath, Array.from({ length: 20_000 }, (_, n) => line(n)).join('\n'));
    const preview = await scanTranscript(large, neverCancelled());
    assert.ok(preview);
    let opened: Promise<unknown> | undefined;
    const report = (): void => void (opened ??= app.sessions.open(before));
    const watch: ImportProgress = { report, isCancelled: () => false };
    assert.equal(await importPreviewed(app, large, preview, watch), undefined);
    await opened;
    assert.equal(app.sessions.current?.journal.id, before);
    assert.ok((await app.sessions.list()).every(({ title }) => !title.includes('left')));
  });
});

describe('importing an invalid file', () => {
  const scratch = vscode.Uri.joinPath(vscode.workspace.workspaceFolders![0]!.uri, 'scratch.txt');

  it('shows one sentence when the file is missing, and keeps the session', async () => {
    const app = await product();
    const before = app.sessions.current;
    const gone = vscode.Uri.joinPath(scratch, '..', 'gone.jsonl');
    const { text } = app.describe(await rejection(app.runCommand('importTranscript', gone as never)));
    assert.equal(text, 'Can’t read gone.jsonl. Check that the file exists and that you have permission to read it.');
    assert.equal(app.sessions.current, before);
  });
});
