import assert from 'node:assert/strict';
import { keyEventId } from '../../../src/core/model/ids.ts';
import type * as MemoryModule from '../../../src/host/memory/memory-commands.ts';
import type * as WorkspaceMemoryModule from '../../../src/host/memory/workspace-memory.ts';
import { MemoryFile } from '../../../src/storage/memory-file.ts';
import { EventEmitter, hostIn } from '../../support/fake-editor.ts';
import { Harness } from '../app/harness.ts';
import { keyEvent } from '../../support/key-events.ts';
import { folderForEachTest, openForEachTest } from '../../support/per-test.ts';

const shownMessages: string[] = [];
const focused = new EventEmitter();
const editor = {
  window: {
    onDidChangeWindowState: (then: (state: { focused: boolean }) => void) =>
      focused.event(() => then({ focused: true })),
    showInformationMessage: (text: string) => Promise.resolve(void shownMessages.push(text)),
    showInputBox: (): Promise<string | undefined> => Promise.resolve(undefined),
    /** Selects every item. */
    showQuickPick: (items: readonly unknown[], { canPickMany }: { readonly canPickMany?: boolean } = {}) =>
      Promise.resolve(canPickMany ? items : items[0]),
  },
};
const load = hostIn(editor);
const { rememberEvents, editMemory, addMemory } = await load<typeof MemoryModule>('memory/memory-commands.ts');
const { WorkspaceMemory } = await load<typeof WorkspaceMemoryModule>('memory/workspace-memory.ts');

describe('memory commands', () => {
  let harness: Harness;
  let folder = '';
  openForEachTest(async () => (harness = await Harness.open()));
  folderForEachTest((made) => (folder = made));
  beforeEach(() => (shownMessages.length = 0));

  const openMemory = () =>
    new WorkspaceMemory(new MemoryFile(folder, 'empty', (copy) => assert.fail(copy)), harness.clock);

  it('offer key events with their speakers, but no dismissed ones and none of deleted messages', async () => {
    const conversation = await harness.filled(3);
    const { journal, state } = conversation;
    const [first, second, third] = state.path;
    for (const [name, message] of Object.entries({ removed: first!, gone: third!, held: second! }))
      await journal.append({
        type: 'event_added',
        event: keyEvent(`The ${name} one.`, { id: keyEventId(name), message, importance: 3, speaker: 'Karim:' }),
      });
    await journal.append({ type: 'event_removed', id: keyEventId('removed'), removed: true });
    await journal.append({ type: 'message_deleted', id: third!, deleted: true });
    const added: { text: string }[] = [];
    const memory = { load: () => Promise.resolve(), entries: [], add: (lines: typeof added) => added.push(...lines) };
    await rememberEvents({ sessions: { currentOrLatest: () => Promise.resolve({ state }) }, memory } as never);
    const texts = added.map(({ text }) => text);
    assert.deepEqual(texts, ['Karim: … The held one.']);
  });

  it('stop sending a memory entry removed in another window once this window regains focus', async () => {
    const words = { text: (text: string) => text.split(/\s+/).length };
    const [memory, other] = [openMemory(), openMemory()];
    await memory.add([{ kind: 'fact', text: 'The host is db-old.' }]);
    await other.load();
    assert.match(other.text(500, words), /db-old/);
    await memory.remove(memory.entries[0]!.id);
    const changed = new Promise<void>((resolve) => void other.onDidChange(resolve));
    focused.fire();
    await changed;
    assert.equal(other.text(500, words), '');
    memory.dispose();
    other.dispose();
  });

  it('do not add a removed memory entry twice when it was added again before it is restored', async () => {
    const memory = openMemory();
    await memory.add([{ kind: 'fact', text: 'The host is db-1.' }]);
    const [entry] = memory.entries;
    await memory.remove(entry!.id);
    await memory.add([{ kind: 'fact', text: 'The host is db-1.' }]);
    await memory.put(entry!);
    const texts = memory.entries.map(({ text }) => text);
    assert.deepEqual(texts, ['The host is db-1.']);
    memory.dispose();
  });

  it('keep an edited memory entry that another window removed in the meantime', async () => {
    const memory = openMemory();
    await memory.add([{ kind: 'fact', text: 'The host is db-1.' }]);
    const [entry] = memory.entries;
    editor.window.showInputBox = async () => {
      await memory.remove(entry!.id);
      return 'The host is db-2.';
    };
    await editMemory({ memory } as never, entry);
    assert.deepEqual(memory.entries, [{ ...entry, text: 'The host is db-2.' }]);
    memory.dispose();
  });

  it('say when a text is already in the workspace memory', async () => {
    editor.window.showInputBox = () => Promise.resolve('Deploys are on Fridays.');
    await addMemory({ memory: { add: () => Promise.resolve(0) } } as never);
    assert.deepEqual(shownMessages, ['This is already in the workspace memory.']);
  });
});
