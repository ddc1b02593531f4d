import assert from 'node:assert/strict';
import type { ListedChat } from '../../../src/app/library/chat-library-calls.ts';
import { chatRows, childRows, type ChatRow } from '../../../src/host/external-chats/chat-rows.ts';
import type * as TreeModule from '../../../src/host/external-chats/chats-tree.ts';
import { hostIn, l10n } from '../../support/fake-editor.ts';

const chat = (
  key: string,
  more: Partial<ListedChat> & { id?: string; parent?: string; messages?: number },
): ListedChat => {
  const { id = key, parent, messages = 1, ...rest } = more;
  const entry = { id, tool: 'codex', path: key, title: key, parent, messages, compactions: 0, updatedAt: 1 } as const;
  return { key, entry, isGone: false, ...rest };
};

/** The IDs of the chats in the view, and the rows below each. */
function shown(...chats: readonly ListedChat[]): unknown {
  const inside = (row: ChatRow): unknown[] => {
    const rows = childRows(row).flatMap(inside);
    if (row.kind !== 'chat') return rows;
    return [rows.length > 0 ? { [row.chat.key]: rows } : row.chat.key];
  };
  return chatRows({ chats, unreadable: [] }, []).flatMap(inside);
}

const copy = { kind: 'copy', of: 's', shared: 1 } as const;

describe('list of chats from other tools', () => {
  it('shows subagents of subagents', () => {
    assert.deepEqual(
      shown(chat('main', {}), chat('agent', { parent: 'main' }), chat('agent of agent', { parent: 'agent' })),
      [{ main: [{ agent: ['agent of agent'] }] }],
    );
  });

  it('shows a chat stored in several files once, as the tool’s fullest copy, and its subagents once', () => {
    assert.deepEqual(
      shown(
        chat('archived', { id: 's', messages: 9, isGone: true }),
        chat('first', { id: 's', messages: 2, relation: copy }),
        chat('full', { id: 's', messages: 3, relation: copy }),
        chat('agent', { parent: 's' }),
      ),
      [{ full: ['first', 'archived', 'agent'] }],
    );
  });

  it('shows every chat, including chats that name each other as parent and different chats with one ID', () => {
    assert.deepEqual(shown(chat('a', { parent: 'b' }), chat('b', { parent: 'a' })), [{ a: ['b'] }]);
    assert.deepEqual(shown(chat('one', { id: 's' }), chat('two', { id: 's' }), chat('agent', { parent: 's' })), [
      { one: ['agent'] },
      'two',
    ]);
  });

  it('reads a chat again for an expanded compaction after it has grown by a tenth or become shorter', async () => {
    class EventEmitter {
      readonly event = () => ({ dispose: () => undefined });
    }
    const load = hostIn({ l10n, EventEmitter, TreeItemCollapsibleState: {} });
    const { ChatsTree } = await load<typeof TreeModule>('external-chats/chats-tree.ts');
    const readAt: number[] = [];
    let length = 0;
    const read = () => {
      readAt.push(length);
      const text = 'We decided to use PostgreSQL for the orders.';
      const compactions = [{ before: 1, summary: 'Orders were discussed.' }];
      return Promise.resolve({ messages: [{ role: 'user', text }], compactions, replaced: [] });
    };
    const yielder = { isDue: () => false, yield: () => Promise.resolve() };
    const tree = new ChatsTree({ onDidChange: () => undefined, library: { read } } as never, yielder);
    for (length of [...Array.from({ length: 23 }, (_, more) => 100 + more), 50]) {
      const rows = await tree.getChildren({ kind: 'compaction', chat: chat('k', { messages: length }), index: 0 });
      assert.deepEqual(
        rows.map(({ kind }) => kind),
        ['dropped'],
      );
    }
    assert.deepEqual(readAt, [100, 111, 50]);
  });
});
