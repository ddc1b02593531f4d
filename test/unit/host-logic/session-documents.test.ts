import assert from 'node:assert/strict';
import { compressionWith } from '../../../src/core/journal/schema.ts';
import MarkdownIt from 'markdown-it';
import type { Conversation } from '../../../src/app/conversation.ts';
import { compressionId, keyEventId, messageId, nodeId } from '../../../src/core/model/ids.ts';
import { pinQuote } from '../../../src/app/summary-changes.ts';
import { nodeWith, unansweredBy, type SummaryNode } from '../../../src/core/model/summary.ts';
import type * as TargetsModule from '../../../src/host/summaries/command-targets.ts';
import type * as ComparisonModule from '../../../src/host/summaries/comparison.ts';
import type * as CompressionsModule from '../../../src/host/summaries/session-documents.ts';
import type * as CommandsModule from '../../../src/host/summaries/compression-commands.ts';
import type * as DocumentsModule from '../../../src/host/summaries/node-documents.ts';
import type * as UrisModule from '../../../src/host/summaries/document-uris.ts';
import { defaultSettings, hostIn, nothing, workspaceWith } from '../../support/fake-editor.ts';
import { Harness, fill } from '../app/harness.ts';
import { openForEachTest } from '../../support/per-test.ts';

const settings = defaultSettings();
const shownMessages: string[] = [];
const labels: string[] = [];
const contents = new Map<string, string>();

/** Positions are offsets. */
class Editor {
  readonly document: { readonly getText: () => string; readonly positionAt: (offset: number) => number };
  readonly decorated: Span[] = [];
  selection: { readonly start: number; readonly end: number } | undefined;
  constructor(text: string) {
    this.document = { getText: () => text, positionAt: (offset) => offset };
  }
  get selected(): readonly number[] {
    return this.selection ? [this.selection.start, this.selection.end] : [];
  }
  setDecorations(_: unknown, ranges: readonly Span[]): void {
    this.decorated.push(...ranges);
  }
  revealRange(): void {}
}
class Span {
  readonly start: number;
  readonly end: number;
  constructor(start: number, end: number) {
    [this.start, this.end] = [start, end];
  }
}
const editors: Editor[] = [];
const opened: string[] = [];
const load = hostIn({
  Range: Span,
  Selection: Span,
  Uri: { from: ({ path }: { readonly path: string }) => ({ path, scheme: 'threadkeeper' }) },
  commands: { executeCommand: () => Promise.resolve() },
  window: {
    createTextEditorDecorationType: () => nothing,
    showInformationMessage: (text: string) => Promise.resolve(void shownMessages.push(text)),
    showQuickPick: (items: readonly { readonly label: string }[]) =>
      Promise.resolve(void labels.push(...items.map(({ label }) => label))),
    showTextDocument: ({ path }: { readonly path: string }) => {
      const shown = new Editor(contents.get(path.split('/')[2]!) ?? assert.fail(path));
      editors.push(shown);
      opened.push(path);
      return Promise.resolve(shown);
    },
    withProgress: (_: unknown, work: (progress: object, token: object) => unknown) =>
      work({ report: () => undefined }, { onCancellationRequested: () => nothing }),
  },
  workspace: { openTextDocument: (uri: object) => Promise.resolve(uri), ...workspaceWith(settings) },
});
const { comparison } = await load<typeof ComparisonModule>('summaries/comparison.ts');
const { sourceDocument, nodeDocument } = await load<typeof DocumentsModule>('summaries/node-documents.ts');
const { openMessageDocument } = await load<typeof UrisModule>('summaries/document-uris.ts');
const { compressionsDocument } = await load<typeof CompressionsModule>('summaries/session-documents.ts');
const { compressHistory, unpinAll } = await load<typeof CommandsModule>('summaries/compression-commands.ts');
const { keyEvent } = await load<typeof TargetsModule>('summaries/command-targets.ts');

describe('documents and commands of a session', () => {
  let harness: Harness;
  let conversation: Conversation;
  openForEachTest(async () => (harness = await Harness.open()));
  beforeEach(async () => {
    conversation = await harness.converse();
    shownMessages.length = 0;
    editors.length = 0;
  });

  /** Sends messages and covers all of them with one summary. */
  async function summarized(...texts: readonly string[]): Promise<SummaryNode> {
    await fill(conversation, texts.length, (n) => texts[n]!);
    const { path } = conversation.state;
    const node = nodeWith({
      id: nodeId('n'),
      first: path[0]!,
      last: path.at(-1)!,
      messages: path.length,
      title: 'Source and yes',
      detailed: 'They said yes.',
      tokens: { source: 9, brief: 3, detailed: 3 },
    });
    const compression = compressionWith({ id: compressionId('c'), nodes: [node] });
    await conversation.journal.append({ type: 'compressed', compression });
    return node;
  }

  it('highlight supporting passages in the message itself, even if it is short or has Windows line endings', async () => {
    const node = await summarized('yes', 'First.\r\nSecond.\r\nThird passage.', 'You');
    const { state, journal } = conversation;
    const passages = ['yes', 'Third passage.', 'You'];
    const sources = passages.map((text, at) => {
      const message = state.path[at]!;
      const content = state.messages.get(message)!.content[0]!;
      const start = content.type === 'text' ? content.text.indexOf(text) : -1;
      return { message, start, end: start + text.length };
    });
    const statements = [{ start: 0, end: 14, reason: 'supported', sources }] as const;
    const check = { level: 'detailed', model: 'test/reader', at: 0, statements } as const;
    await journal.append({ type: 'node_checked', node: node.id, check });
    const { text } = sourceDocument(state, node);
    contents.set('detailed', `${node.detailed}\n`).set('source', text);
    await comparison(harness.clock.yielder).open(state, node);
    const marked = editors[1]!.decorated;
    const quoted = marked.map(({ start, end }) => text.slice(start, end));
    assert.deepEqual(quoted, passages);
    for (const at of [0, 2]) assert.match(text.slice(0, marked[at]!.start), /Open Message\n\n$/);
  });

  it('select the quote of a key event, not an earlier occurrence of the same words', async () => {
    const text = 'Use tabs? No. Then again: Use tabs. And so on.';
    contents.set('message', text);
    const { journal, state } = await fill(conversation, 1, () => text).then(() => conversation);
    const start = text.lastIndexOf('Use tabs');
    await openMessageDocument(journal.id, state.path[0]!, 0, { quote: 'Use tabs', start });
    assert.deepEqual(editors[0]!.selected, [start, start + 8]);
  });

  it('do not give a deleted message the number of a message', async () => {
    contents.set('message', 'Gone.');
    await openMessageDocument(conversation.journal.id, messageId('gone'), -1);
    assert.match(opened.at(-1)!, /\/Deleted or on another branch\.md$/);
  });

  it('show each message of a summary’s source, even after one that ends within a code block', async () => {
    const node = await summarized(
      'Look:\n~~~~ts\nlet a = 1;\n~~~\nlet b',
      '```\ncut off',
      '- item\n  ```\n  code',
      'Fine.',
    );
    const html = new MarkdownIt().render(sourceDocument(conversation.state, node).text);
    assert.equal(html.match(/<h2>/g)?.length, 4, html);
    assert.match(html, /<p>Fine\.<\/p>/);
  });

  it('say that a summary was extracted because the model did not answer, but report no missing quote', async () => {
    const node = await summarized('Will it sail?', 'Yes.');
    const { journal, state } = conversation;
    await journal.append({ type: 'node_replaced', node: { ...node, audit: unansweredBy('test/summarizer') } });
    assert.match(nodeDocument(state, state.nodes.get(node.id)!).text, /^- The summarizer returned no usable response/m);
    assert.doesNotMatch(compressionsDocument(conversation).text, /not found in the source/);
  });

  it('say that a session without messages has none, rather than only recent ones', async () => {
    await compressHistory(conversation, true, {} as never);
    await fill(conversation, 2);
    await compressHistory(conversation, true, {} as never);
    assert.equal(shownMessages[0], 'No messages in this session yet.');
    assert.match(shownMessages[1]!, /^Nothing to compress: only recent messages are left/);
  });

  it('unpin only the key events of the active branch, and count only those', async () => {
    await fill(conversation, 3);
    const { journal, state } = conversation;
    const [first, second, third] = state.path;
    const more = { kind: 'fact', start: 0, end: 4, quote: 'Part' } as const;
    for (const [id, message] of Object.entries({ sent: first!, dismissed: second!, deleted: third! }))
      await pinQuote(journal, { id: keyEventId(id), message, ...more });
    await journal.append(
      { type: 'event_removed', id: keyEventId('dismissed'), removed: true },
      { type: 'message_deleted', id: third!, deleted: true },
    );
    await unpinAll(conversation, {} as never);
    assert.deepEqual(shownMessages, ['Unpinned 1 key event.']);
    const pinned = [...state.events.values()].flatMap((event) => (event.pinned ? event.id : []));
    assert.deepEqual(pinned, ['dismissed', 'deleted']);
  });

  it('list key events without splitting an emoji', async () => {
    await fill(conversation, 1);
    const quote = `${'x'.repeat(119)}\u{1f5fc}`;
    const [message] = conversation.state.path;
    const place = { kind: 'fact', start: 0, end: quote.length, quote } as const;
    await pinQuote(conversation.journal, { id: keyEventId('e'), message: message!, ...place });
    await keyEvent()(conversation, undefined, {} as never);
    assert.ok(labels.length === 1 && labels[0]!.isWellFormed(), labels[0]);
  });
});
