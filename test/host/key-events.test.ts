import assert from 'node:assert/strict';
import type * as vscode from 'vscode';
import { pinQuote } from '../../src/app/summary-changes.ts';
import { keyEventId } from '../../src/core/model/ids.ts';
import { messageText } from '../../src/core/model/message.ts';
import { answering, run, sampleSession } from './product.ts';

describe('correcting a key event in the tree', () => {
  it('says that the event is gone, without offering the log, when the session no longer has it', async () => {
    const { state } = await sampleSession();
    const message = state.path[0]!;
    const event = { id: 'gone', kind: 'decision', quote: 'x', message, start: 0, end: 1 };
    const shown: unknown[][] = [];
    await answering(
      {
        showQuickPick: (items: readonly unknown[]) => Promise.resolve(items[1]),
        showErrorMessage: (...words: unknown[]) => {
          shown.push(words);
          return Promise.resolve();
        },
      },
      () => run('correctEvent', { kind: 'event', event }),
    );
    assert.deepEqual(shown, [['This key event is no longer in the session.']]);
  });

  it('keeps the line breaks of a quote, which an input box can’t show', async () => {
    const { journal, state } = await sampleSession();
    const [message, text] = state.path
      .map((id) => [id, messageText(state.messages.get(id)!)] as const)
      .find(([, one]) => /\w\n+\w/.test(one))!;
    const breakAt = text.search(/\w\n+\w/);
    const [start, end] = [Math.max(0, breakAt - 10), breakAt + 20];
    const event = {
      id: keyEventId('lines'),
      kind: 'fact',
      message,
      start,
      end,
      quote: text.slice(start, end),
    } as const;
    await pinQuote(journal, event);
    let problem: unknown;
    await answering(
      {
        showQuickPick: (items: readonly unknown[]) => Promise.resolve(items[0]),
        showInputBox: (options: vscode.InputBoxOptions) => {
          const shown = options.value!.replaceAll(/[\r\n]/g, '');
          problem = options.validateInput?.(shown.slice(1));
          return Promise.resolve(shown.slice(1));
        },
        showErrorMessage: (text: string) => Promise.resolve(void (problem ??= text)),
      },
      () => run('correctEvent', { kind: 'event', event }),
    );
    assert.equal(problem, undefined);
    assert.equal(state.events.get(event.id)?.quote, text.slice(start + 1, end).trim());
  });
});
