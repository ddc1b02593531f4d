import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Conversation } from '../../../src/app/conversation.ts';
import { resolvePolicy } from '../../../src/core/policy/policy.ts';
import type { ContextRow } from '../../../src/host/summaries/context-rows.ts';
import type * as CommandsModule from '../../../src/host/summaries/summary-commands.ts';
import type * as TreeModule from '../../../src/host/summaries/context-tree.ts';
import { hostIn, nothing } from '../../support/fake-editor.ts';
import { Harness } from '../app/harness.ts';
import { CONTEXT_VIEW } from '../../../src/host/platform/contribution-ids.ts';
import { openForEachTest } from '../../support/per-test.ts';

const { contributes } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  contributes: { viewsWelcome: readonly { readonly view: string; readonly when?: string }[] };
};
const shownMessages: string[] = [];
const contexts: unknown[] = [];
const load = hostIn({
  commands: {
    executeCommand: (command: string, ...values: unknown[]) =>
      Promise.resolve(command === 'setContext' && void contexts.push(values)),
  },
  window: {
    createTextEditorDecorationType: () => nothing,
    showQuickPick: (items: readonly { readonly label: string }[]) =>
      Promise.resolve(items.find(({ label }) => label.startsWith('Send as'))),
    showInformationMessage: (_: string, button: string) => Promise.resolve(button),
    showErrorMessage: (text: string) => Promise.resolve(void shownMessages.push(text)),
  },
});
const { ContextTree } = await load<typeof TreeModule>('summaries/context-tree.ts');
const { readSummary } = await load<typeof CommandsModule>('summaries/summary-commands.ts');

const TEXTS = [
  'We have decided: use port 8401 for the gateway.',
  'We have decided: keep invoices for ten years.',
  'We have decided: write the importer in Rust.',
  'We have decided: drop support for Safari 14.',
  'We have decided: name the release Heron.',
];

describe('Context view', () => {
  let harness: Harness;
  let conversation: Conversation;
  let tree: TreeModule.ContextTree;

  openForEachTest(async () => (harness = await Harness.open()));
  beforeEach(async () => {
    conversation = await harness.compressed(
      60,
      (n) =>
        TEXTS[n] ??
        `What happens in part ${n}? It comes after the others. ${'Rows are gathered in a list. '.repeat(4)}`,
    );
    const view = { visible: true, description: '', onDidChangeVisibility: () => nothing };
    tree = new ContextTree(view as never, {
      sessions: { current: conversation, currentOrLatestIfAny: () => Promise.resolve(conversation) },
      search: () => Promise.resolve([]),
      clock: { now: () => 0 },
    });
  });

  it('has welcome content only once it is known to be empty, so that it never takes the focus from the rows', async () => {
    const welcome = contributes.viewsWelcome.find(({ view }) => view === CONTEXT_VIEW);
    const view = { visible: true, onDidChangeVisibility: () => nothing };
    let current: Conversation | undefined = conversation;
    const currentOrLatestIfAny = () => Promise.resolve(current);
    const shown = new ContextTree(
      view as never,
      { clock: { now: () => 0 }, sessions: { currentOrLatestIfAny } } as never,
    );
    contexts.length = 0;
    await shown.getChildren();
    current = undefined;
    for (let times = 0; times < 2; times++) assert.deepEqual(await shown.getChildren(), []);
    shown.dispose();
    assert.deepEqual(contexts, [
      [welcome?.when, false],
      [welcome?.when, true],
    ]);
  });

  it('lists a summary under warnings as soon as a model has flagged it', async () => {
    tree.setFilter({ by: 'warnings' });
    const warned = async (): Promise<ContextRow[]> => tree.getChildren((await tree.getChildren())[0]);
    assert.deepEqual(await warned(), []);
    const { node } = conversation.state.frontier[0]!;
    await conversation.journal.append({
      type: 'node_checked',
      node: node.id,
      check: {
        level: 'detailed',
        model: 'test/reader',
        at: 0,
        statements: [{ start: 0, end: 4, reason: 'told_otherwise', sources: [] }],
      },
    });
    tree.refresh();
    assert.equal((await warned()).length, 1);
  });

  it('shows which key events no longer fit once the ledger’s share is smaller', async () => {
    const statuses = async (): Promise<ReadonlySet<string>> => {
      const section = (await tree.getChildren()).find((row) => row.id === 'section/events');
      const all: ContextRow[] = [];
      const visit = async (row: ContextRow | undefined): Promise<void> => {
        for (const child of await tree.getChildren(row)) {
          all.push(child);
          await visit(child);
        }
      };
      await visit(section);
      return new Set(
        all.flatMap((row) => (row.kind === 'event' ? String(row.item.description).split(' · ').slice(1) : [])),
      );
    };
    assert.ok(!(await statuses()).has('didn’t fit'));
    harness.set({ policy: resolvePolicy('balanced', { ledgerShare: 0.0005 }) });
    assert.ok(conversation.context().leftOut.length > 0);
    tree.refresh();
    assert.ok((await statuses()).has('didn’t fit'));
  });

  it('says why a summary’s level cannot be restored', async () => {
    const { journal } = conversation;
    const append = journal.append.bind(journal);
    journal.append = async (...events) => {
      await append(...events);
      journal.append = () => Promise.reject(new Error('The disk is full.'));
    };
    const app = { describe: (error: unknown) => ({ text: String(error) }) };
    await readSummary(conversation, conversation.state.frontier[0]!.node, app as never);
    await new Promise((resolve) => setTimeout(resolve));
    assert.deepEqual(shownMessages, ['Error: The disk is full.']);
  });
});
