import assert from 'node:assert/strict';
import { nodeId } from '../../../src/core/model/ids.ts';
import type * as ChatCommandsModule from '../../../src/host/chat/chat-commands.ts';
import type * as MemoryModule from '../../../src/host/memory/memory-commands.ts';
import type * as SummaryCommandsModule from '../../../src/host/summaries/summary-commands.ts';
import { defaultSettings, hostIn, workspaceWith } from '../../support/fake-editor.ts';

interface Options {
  readonly title?: string;
  readonly ignoreFocusOut?: boolean;
}

describe('a text that takes time to type', () => {
  const settings = defaultSettings();
  settings['summarizer'] = { ...settings['summarizer'], provider: 'openai' };
  /** The boxes and lists that stay open when the focus moves elsewhere, by title. */
  let staying: (string | undefined)[] = [];
  const ask = <T>({ title, ignoreFocusOut }: Options, result: T): Promise<T> => {
    if (ignoreFocusOut === true) staying.push(title);
    return Promise.resolve(result);
  };
  const load = hostIn({
    workspace: workspaceWith(settings),
    window: {
      showInputBox: (options: Options) => ask(options, 'Deploys are on Fridays.'),
      showQuickPick: <T>(items: readonly { readonly label: string }[], options: Options): Promise<T> =>
        ask(options, (items.find(({ label }) => /Instructions|Quote/.test(label)) ?? items[0]) as T),
      showInformationMessage: () => Promise.resolve(undefined),
      withProgress: () => Promise.resolve(undefined),
    },
  });
  beforeEach(() => (staying = []));

  it('is kept for the memory until its kind is selected', async () => {
    const { addMemory, editMemory } = await load<typeof MemoryModule>('memory/memory-commands.ts');
    const memory = { add: () => Promise.resolve(1), put: () => Promise.resolve() };
    await addMemory({ memory } as never);
    await editMemory({ memory } as never, { id: 'a', text: 'Deploys are on Mondays.' });
    assert.deepEqual(staying, ['Add to Memory', 'Select Memory Kind', 'Edit Memory']);
  });

  it('is kept for the task', async () => {
    const { setTask } = await load<typeof ChatCommandsModule>('chat/chat-commands.ts');
    const conversation = { state: {}, journal: { id: 's1' }, setTask: () => Promise.resolve() };
    await setTask(conversation as never, undefined, { sessions: { current: conversation } } as never);
    assert.deepEqual(staying, ['Set Task']);
  });

  it('is kept for the instructions for a summary and for a quote, while the messages are read', async () => {
    const { correctKeyEvent, regenerateSummary } = await load<typeof SummaryCommandsModule>(
      'summaries/summary-commands.ts',
    );
    const node = { id: nodeId('n'), depth: 0, children: [], title: 'Deploys', tokens: {} };
    const app = { current: () => Promise.resolve({}) };
    const state = { messages: new Map(), frontier: [] };
    await regenerateSummary({ state } as never, node as never, app as never);
    const event = { id: 'e', message: 'm', quote: 'Fridays', kind: 'fact' };
    const journal = { state: { ...state, events: new Map() } };
    await assert.rejects(correctKeyEvent({ journal, state } as never, event as never), { reason: 'unknown_event' });
    assert.deepEqual(staying, ['Deploys', undefined]);
  });
});
