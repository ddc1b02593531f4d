import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type * as ExportModule from '../../../src/host/import-export/export-session.ts';
import type * as ImportModule from '../../../src/host/import-export/import-file.ts';
import type * as TranscriptModule from '../../../src/host/import-export/transcript-batches.ts';
import { hostIn, l10n } from '../../support/fake-editor.ts';
import { folderForAllTests } from '../../support/per-test.ts';

const never = { isCancelled: () => false, report: () => undefined };
const saved: string[] = [];
const load = hostIn({
  l10n,
  Uri: { joinPath: (_: unknown, name: string) => name },
  window: {
    showQuickPick: ([first]: readonly unknown[]) => Promise.resolve(first),
    showSaveDialog: ({ defaultUri }: { readonly defaultUri: string }) =>
      Promise.resolve(saved.push(defaultUri)).then(() => undefined),
  },
  workspace: { workspaceFolders: [{ uri: 'file:///w' }], fs: { stat: () => Promise.resolve({ size: 1 }) } },
  FileSystemError: Error,
});

describe('a transcript to import', () => {
  let folder: string;
  folderForAllTests((made) => (folder = made));

  it('shows its first and last date, even if its messages are in another order', async () => {
    const { scanTranscript } = await load<typeof TranscriptModule>('import-export/transcript-batches.ts');
    const file = path.join(folder, 'branches.jsonl');
    const lines = [2, 3, 1].map((at) => ({ role: 'user', content: 'Hello.', at, id: `m${at}`, parent: null }));
    writeFileSync(file, lines.map((line) => JSON.stringify(line)).join('\n'));
    const preview = await scanTranscript({ scheme: 'file', path: file, fsPath: file } as never, never);
    assert.deepEqual([preview?.isExact, preview?.from, preview?.to], [true, 1, 3]);
  });

  it('shows the first messages of the session, although an export begins with those of other branches', async () => {
    const { scanTranscript } = await load<typeof TranscriptModule>('import-export/transcript-batches.ts');
    const file = path.join(folder, 'other-branch.jsonl');
    const parents = [
      ['m4', 'm1'],
      ['m1', null],
      ['m2', 'm1'],
      ['m3', 'm2'],
    ] as const;
    const lines = parents.map(([id, parent]) => ({ role: 'user', content: `This is ${id}.`, at: 1, id, parent }));
    writeFileSync(file, lines.map((line) => JSON.stringify(line)).join('\n'));
    const preview = await scanTranscript({ scheme: 'file', path: file, fsPath: file } as never, never);
    assert.deepEqual(
      preview?.first.map(({ text }) => text),
      ['This is m1.', 'This is m2.', 'This is m3.'],
    );
  });

  it('shows the beginnings of its messages without half of an emoji', async () => {
    const { scanTranscript } = await load<typeof TranscriptModule>('import-export/transcript-batches.ts');
    const file = path.join(folder, 'emoji.jsonl');
    writeFileSync(file, JSON.stringify({ role: 'user', content: `${'a'.repeat(199)}😀` }));
    const preview = await scanTranscript({ scheme: 'file', path: file, fsPath: file } as never, never);
    assert.deepEqual(preview?.first, [{ role: 'user', text: 'a'.repeat(199) }]);
  });

  it('may be UTF-16 with a byte order mark', async () => {
    const { scanTranscript } = await load<typeof TranscriptModule>('import-export/transcript-batches.ts');
    const file = path.join(folder, 'utf-16.jsonl');
    writeFileSync(file, `\uFEFF${JSON.stringify({ role: 'user', content: 'Où ?' })}\r\n`, 'utf16le');
    const preview = await scanTranscript({ scheme: 'file', path: file, fsPath: file } as never, never);
    assert.deepEqual(preview?.first, [{ role: 'user', text: 'Où ?' }]);
  });

  it('reports progress and can be canceled before its end, even if the user may have undone its messages', async () => {
    const { scanTranscript } = await load<typeof TranscriptModule>('import-export/transcript-batches.ts');
    const file = path.join(folder, 'undone.jsonl');
    const lines = Array.from({ length: 400 }, (_, at) => {
      const message = { role: 'user', content: `Row ${at}: ${'a boat and its sails, '.repeat(200)}` };
      return { type: 'user', uuid: `u${at}`, parentUuid: at > 0 ? `u${at - 1}` : null, sessionId: 's', message };
    });
    writeFileSync(file, lines.map((line) => JSON.stringify(line)).join('\n'));
    const uri = { scheme: 'file', path: file, fsPath: file } as never;
    let reports = 0;
    const preview = await scanTranscript(uri, { isCancelled: () => false, report: () => reports++ });
    assert.deepEqual([preview?.format, preview?.messages], ['claude-code', 400]);
    const all = reports;
    reports = 0;
    const canceled = await scanTranscript(uri, { isCancelled: () => reports === 2, report: () => reports++ });
    assert.equal(canceled, undefined);
    assert.ok(all > 10, `${all} reports`);
  });

  it('leaves no session if its model cannot be stored', async () => {
    const { importMessages } = await load<typeof ImportModule>('import-export/import-file.ts');
    const events: string[] = [];
    const append = ({ type }: { readonly type: string }) => {
      if (type === 'model_selected') return Promise.reject(new Error('no space left'));
      return Promise.resolve(events.push(type));
    };
    const created = { journal: { id: 'new', append }, import: (work: () => unknown) => work() };
    const sessions = {
      current: undefined as object | undefined,
      list: () => Promise.resolve([]),
      create: () => Promise.resolve((sessions.current = created)),
      close: () => Promise.resolve(events.push('closed')),
    };
    const batches = (async function* () {
      yield await Promise.resolve({ messages: [] });
    })();
    const model = [{ type: 'model_selected', provider: 'openai', model: 'm' }] as const;
    await assert.rejects(importMessages({ sessions } as never, 'Chat', batches, never, model), /no space left/);
    assert.deepEqual(events, ['session_deleted', 'closed']);
  });
});

describe('the suggested name of an exported file', () => {
  it('never ends in the middle of a character', async () => {
    const { exportSession } = await load<typeof ExportModule>('import-export/export-session.ts');
    // A mathematical letter, which takes two UTF-16 units.
    const title = `x${'𝐁'.repeat(60)}`;
    await exportSession({ state: { title } } as never, undefined, {} as never);
    assert.equal(saved.at(-1), `x${'𝐁'.repeat(39)}.md`);
    // VS Code can't encode a path with half a character.
    assert.doesNotThrow(() => encodeURIComponent(saved.at(-1)!));
  });
});
