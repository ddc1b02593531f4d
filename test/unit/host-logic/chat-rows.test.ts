import assert from 'node:assert/strict';
import type { ListedChat } from '../../../src/app/library/chat-library-calls.ts';
import { chatItems, type ChatItem } from '../../../src/host/external-chats/chat-rows.ts';
import type * as TreeModule from '../../../src/host/external-chats/chats-tree.ts';
import { NEVER_YIELDS } from '../../../src/core/pace/yielder.ts';
import { hostIn } from '../../support/fake-editor.ts';
import { alwaysDue } from '../../support/yielders.ts';

const { chatsTree } = await hostIn({})<typeof TreeModule>('external-chats/chats-tree.ts');

const chat = (
  key: string,
  more: Partial<ListedChat> & { id?: string; parent?: string; messages?: number },
): ListedChat => {
  const { id = key, parent, messages = 1, ...rest } = more;
  const entry = { id, tool: 'codex', path: key, title: key, parent, messages, compactions: 0, updatedAt: 1 } as const;
  return { key, entry, isGone: false, ...rest };
};

function shown(...chats: readonly ListedChat[]): unknown {
  const inside = ({ chat: { key }, below }: ChatItem): unknown =>
    below.length > 0 ? { [key]: below.map(inside) } : key;
  return chatItems(chats).map(inside);
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
    const readAt: number[] = [];
    let length = 0;
    const read = () => {
      readAt.push(length);
      const text = 'We decided to use PostgreSQL for the orders.';
      const compactions = [{ before: 1, summary: 'Orders were discussed.' }];
      return Promise.resolve({ messages: [{ role: 'user', text }], compactions, lost: [] });
    };
    const list = () => {
      const listed = chat('k', { messages: length });
      return { chats: [{ ...listed, entry: { ...listed.entry, compactions: 1 } }], unreadable: [] };
    };
    const tree = chatsTree({ onDidChange: () => undefined, list, library: { read } } as never, NEVER_YIELDS);
    for (length of [...Array.from({ length: 23 }, (_, more) => 100 + more), 50]) {
      let rows = await tree.getChildren();
      // From the workspace to the tool, the chat, its compaction, and what that dropped.
      for (let level = 0; level < 4; level++) rows = await tree.getChildren(rows[0]);
      const sizes = rows.map(({ dropped }) => dropped?.length);
      assert.deepEqual(sizes, [1]);
    }
    assert.deepEqual(readAt, [100, 111, 50]);
  });

  it('creates the items of chats only when their tool is expanded, and yields between them', async () => {
    let items = 0;
    class TreeItem {
      readonly at = ++items;
    }
    const { chatsTree } = await hostIn({ TreeItem })<typeof TreeModule>('external-chats/chats-tree.ts');
    const chats = Array.from({ length: 300 }, (_, at) => chat(`k${at}`, {}));
    let yields = 0;
    const yielder = alwaysDue(() => {
      yields++;
    });
    const list = () => ({ chats, unreadable: [] });
    const tree = chatsTree({ onDidChange: () => undefined, list } as never, yielder);
    const [workspace] = await tree.getChildren();
    const [tool] = await tree.getChildren(workspace);
    assert.equal(items, 2);
    assert.equal((await tree.getChildren(tool)).length, 300);
    assert.deepEqual([items, yields], [302, 300]);
  });

  it('shows where workspaces of the same name are', async () => {
    const chats = ['/home/sam/api', '/srv/api', '/srv/shop', undefined].map((workspace, at) => {
      const one = chat(`k${at}`, {});
      return { ...one, entry: { ...one.entry, ...(workspace !== undefined && { workspace }) } };
    });
    const list = () => ({ chats, unreadable: [] });
    const tree = chatsTree({ onDidChange: () => undefined, list } as never, NEVER_YIELDS);
    const rows = await tree.getChildren();
    assert.deepEqual(
      rows.map(({ item: { label, description } }) => [label, description]),
      [
        ['api', '/home/sam'],
        ['api', '/srv'],
        ['shop', undefined],
        ['No workspace', undefined],
      ],
    );
  });
});
