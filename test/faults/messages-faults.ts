import { LIVES, planted, type Catcher } from './planted-fault.ts';

const BUDGETS: Catcher = {
  spec: 'test/property/promises/budgets.test.ts',
  title: 'are sent within the budget, or the user is told that they do not fit and nothing is sent',
};
const SEGMENTS: Catcher = {
  spec: 'test/property/compress/segments.test.ts',
  title: 'cover every message once, in order, and part no call from its result',
};
const GROWTH: Catcher = {
  spec: 'test/property/compress/growth.test.ts',
  title: 'keeps each message under exactly one frontier node, whose texts stay bounded',
};
const OPENED_BELOW: Catcher = {
  spec: 'test/unit/app/summary-changes.test.ts',
  title: 'marks what was made from it as stale when it is undone, until that is taken back',
};

/** Each message word for word or under one summary, in requests that fit and hold together. */
export const MESSAGE_FAULTS = [
  ...planted(
    'covered-once',
    LIVES,
    {
      what: 'a summary stands beside the one that it was joined into',
      file: 'src/core/state/frontier.ts',
      find: '|| covered.has(from) ||',
      put: '||',
    },
    {
      what: 'the last message of a summary is sent as well',
      file: 'src/core/state/session-state.ts',
      find: 'position = Math.max(position, item.to + 1);',
      put: 'position = Math.max(position, item.to);',
    },
    {
      what: 'the first message behind a summary is neither sent nor stood for',
      file: 'src/core/state/session-state.ts',
      find: 'position = Math.max(position, item.to + 1);',
      put: 'position = Math.max(position, item.to + 2);',
    },
    {
      what: 'of a message with several blocks the first is sent alone',
      file: 'src/core/context/assemble.ts',
      find: 'content: [...before, ...message.content], ...turnOnly,',
      put: 'content: [...before, ...message.content.slice(0, 1)], ...turnOnly,',
    },
  ),
  ...planted('covered-once', GROWTH, {
    what: 'joined summaries lose the last of them',
    file: 'src/core/compress/tree.ts',
    find: 'frontier: [parent, ...frontier.slice(joined)]',
    put: 'frontier: [parent, ...frontier.slice(joined + 1)]',
  }),
  ...planted(
    'made-from',
    LIVES,
    {
      what: 'a summary stands although a message within it was deleted',
      file: 'src/core/state/frontier.ts',
      find: 'if (to - from + 1 === node.messages) candidates.push',
      put: 'candidates.push',
    },
    {
      what: 'a summary stands although a message that it passed over is back',
      file: 'src/core/state/session-state.ts',
      find: '(node) => this.#summaries.isOpen(node, nodes) || this.#summaries.hasGap(node, this.#isOnBranch),',
      put: '(node) => this.#summaries.isOpen(node, nodes),',
    },
  ),
  ...planted(
    'transcript-back',
    LIVES,
    {
      what: 'deleted messages come back with the others',
      file: 'src/core/state/branches.ts',
      find: '.filter((id) => !this.#deleted.has(id))',
      put: '',
    },
    {
      what: 'a branch is left at the first message that was answered twice',
      file: 'src/core/state/branches.ts',
      find: '.reverse();\n    this.#position',
      put: '.reverse().filter((_, at, path) => at === 0 || this.childrenOf(path[at - 1]!).length < 2);\n    this.#position',
    },
  ),
  ...planted('transcript-back', OPENED_BELOW, {
    what: 'a summary that others were made from cannot be opened',
    file: 'src/core/state/summaries.ts',
    find: 'change(this.#undone, node, undone);',
    put: 'if (this.parentsOf(node).length === 0) change(this.#undone, node, undone);',
  }),
  ...planted('budget', BUDGETS, {
    what: 'a request leaves that is a little too long',
    file: 'src/app/conversation.ts',
    find: 'if (total > budget) {',
    put: 'if (total > budget * 1.1) {',
  }),
  ...planted(
    'budget',
    LIVES,
    {
      what: 'the room for the reply is given to the request',
      file: 'src/app/context-meter.ts',
      find: 'Math.min(contextWindow - reservedTokens, less)',
      put: 'Math.min(contextWindow + 0 * reservedTokens, less)',
    },
    {
      what: 'the task is not counted',
      file: 'src/core/context/assemble.ts',
      find: "task: task === '' ? 0 : counter.text(task),",
      put: 'task: 0,',
    },
    {
      what: 'the summaries are not counted',
      file: 'src/core/context/assemble.ts',
      find: 't.system + t.rules + t.memory + t.ledger + t.summaries + t.window',
      put: 't.system + t.rules + t.memory + t.ledger + t.window',
    },
  ),
  ...planted(
    'escalation',
    BUDGETS,
    {
      what: 'the session is not flagged when its newest turn does not fit',
      file: 'src/app/conversation.ts',
      find: "await this.journal.append({ type: 'escalation', reason: 'token_overflow' });",
      put: '',
    },
    {
      what: 'what does not fit is sent all the same',
      file: 'src/app/conversation.ts',
      find: 'throw new ContextOverflow(total, budget);',
      put: 'if (budget < 0) throw new ContextOverflow(total, budget);',
    },
  ),
  ...planted(
    'newest-whole',
    LIVES,
    {
      what: 'the newest user message is summarized with an agent’s long turn',
      file: 'src/app/compression-plan.ts',
      find: 'if (at >= start || at === newestUser || held[',
      put: 'if (at >= start || held[',
    },
    {
      what: 'attachments stand behind the newest user message',
      file: 'src/core/context/assemble.ts',
      find: 'content: [...before, ...message.content], ...turnOnly,',
      put: 'content: [...message.content, ...before], ...turnOnly,',
    },
    {
      what: 'a long user message is cut',
      file: 'src/core/context/assemble.ts',
      find: "if (message.role === 'system') continue;",
      put: "if (message.role === 'system') continue;\n    if (message.role === 'user') Object.assign(message, { content: message.content.map((one) => (one.type === 'text' ? { ...one, text: one.text.slice(0, 400) } : one)) });",
    },
  ),
  ...planted(
    'calls-with-results',
    LIVES,
    {
      what: 'the window starts behind the first of two results',
      file: 'src/core/compress/segments.ts',
      find: 'if (open.size === 0 && !answeredNext) safe.add(at);',
      put: 'if (!answeredNext) safe.add(at);',
    },
    {
      what: 'the window starts at any result',
      file: 'src/core/policy/policy.ts',
      find: 'at === 0 || at === count || cuts.has(at - 1);',
      put: 'at >= 0 && cuts.size >= 0;',
    },
  ),
  ...planted(
    'calls-with-results',
    SEGMENTS,
    {
      what: 'a long turn is cut between a call and its result',
      file: 'src/core/compress/segments.ts',
      find: '(at === turn.to || safe?.has(at))) close(at);',
      put: '(at === turn.to || safe)) close(at);',
    },
    {
      what: 'a result that names no call is parted from the reply before it',
      file: 'src/core/compress/segments.ts',
      find: 'isToolResult(next) && !isToolResult(messages[at]!);',
      put: 'isToolResult(next) && at < 0;',
    },
  ),
  ...planted(
    'segments',
    SEGMENTS,
    {
      what: 'a segment begins with the last message of the one before',
      file: 'src/core/compress/segments.ts',
      find: 'start = end + 1;\n    size = 0;',
      put: 'start = end;\n    size = 0;',
    },
    {
      what: 'what is left at the end gets no segment',
      file: 'src/core/compress/segments.ts',
      find: '} else if (start <= to) close(to);',
      put: '} else if (start < to) close(to);',
    },
    {
      what: 'what joins a segment at the end is not counted in it',
      file: 'src/core/compress/segments.ts',
      find: 'to, tokens: last.tokens + sum };',
      put: 'to, tokens: last.tokens };',
    },
  ),
];
