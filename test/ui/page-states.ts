import type { StatusView } from '../../src/protocol/views.ts';
import { HOSTILE_MARKDOWN } from '../fixtures/hostile-markdown.ts';

const STATUS: StatusView = {
  ...{ replying: false, queue: { items: [], isHeld: false }, thinking: null, compression: null, pendingRetry: null },
  ...{ resetPending: false, offline: null, readOnly: null, isExternal: false, unsaved: null, escalation: null },
};
const MESSAGE = { id: 'm1', role: 'assistant', at: 1_767_225_600_000, ending: 'complete', model: 'openai/gpt-5' };
const messageView = (id: string, text: string) => ({ ...MESSAGE, id, parts: [{ type: 'text', text }] });

/** A session as it's sent to the page. */
export const INIT = {
  ...{ type: 'init', session: 'a-state-of-the-page', epoch: 1, total: 1, from: 0, title: 'A state of the page' },
  ...{ messages: [messageView('m1', 'What was said.')], summaryRanges: [], compressions: [], gauge: null },
  ...{ task: null, sessions: [], history: [], notice: null },
  model: { provider: 'openai', model: 'gpt-5', label: 'gpt-5', takesImages: true, ready: false, isDefault: false },
  settings: { enterSends: true, sendWhileResponding: 'queue', pasteAsAttachmentAbove: 4000, locale: 'en' },
  ...{ status: STATUS, draft: { text: '', attachments: [] }, edits: {} },
};

/** A compression of the first message, and its only summary without the text. */
export const COMPRESSION = {
  ...{ id: 'c1', at: 1_767_225_600_000, after: 0, nodes: ['n1'], messages: 1, summaries: 1, costUsd: null },
  ...{ tokens: { before: 900, after: 90 }, keyEvents: { kept: 0, total: 0 }, undone: false },
};
export const SUMMARY = {
  ...{ title: 'Ports', tokens: { source: 900, shown: 90 }, method: 'model', model: 'gpt-5', from: 0, to: 0 },
  ...{ audit: { score: 1, faults: [] }, events: [] },
};

export const PREVIEW = {
  ...{ emptyText: null, messages: 9, tokens: { before: 900, after: 90 }, kept: [], dropped: [] },
  ...{ model: 'gpt-5', estimatedCostUsd: null },
};

/** A session in the list. */
export const sessionView = (title: string, id = title) => ({
  ...{ id, title, updatedAt: 1, messages: 1, pinned: false, archived: false },
});

const TASK = {
  ...{ id: 't1', goal: 'Ship the gateway' },
  steps: [
    { text: 'Write it', status: 'done' },
    { text: 'Test it', status: 'in_progress' },
    { text: 'Leave it', status: 'skipped' },
    { text: 'Tell the others', status: 'pending' },
  ],
};
const CUT_OFF = {
  ...{ ...messageView('m1', 'Half of'), ending: 'interrupted', branches: { ids: ['m0', 'm1'], index: 1 } },
  ...{ tokens: { input: 1200, output: 3 }, recalled: [{ position: 0, role: 'user', text: 'We said 8443.' }] },
  attachments: [{ id: 'a', kind: 'file', name: 'src/a.ts', tokens: 12, lines: [1, 9] }],
};
const ESCALATION = {
  ...{ text: 'The newest message does not fit.', requestTokens: 9000, budget: 8000 },
  actions: [
    { label: 'Compress History', command: 'compressHistory' },
    { label: 'New Session', command: 'newSession' },
  ],
};
const attachments = [
  { id: 'b', kind: 'image', name: 'a.png', tokens: 1600 },
  { id: 'c', kind: 'terminal', name: 'Terminal', tokens: 20 },
];

/** The host's messages for states that are hard to produce, and text that is visible in them. */
export const PAGE_STATES: Readonly<Record<string, { readonly seen: string; readonly data: object }>> = {
  'a streaming reply, a compression, a retry delay and a pending reset': {
    seen: 'Ship the gateway',
    data: {
      ...INIT,
      messages: [{ ...messageView('m1', 'It is **arriving**'), ending: undefined, streaming: true }],
      status: {
        ...{ ...STATUS, replying: true, resetPending: true, compression: { stage: 'summarizing', done: 2, total: 5 } },
        pendingRetry: { until: 4_102_444_800_000, text: 'The provider rate limit is reached; trying again.' },
      },
      task: TASK,
    },
  },
  'a read-only offline session, an escalation, a notice and a cut-off reply': {
    seen: 'The disk is full.',
    data: {
      ...{ ...INIT, messages: [CUT_OFF], notice: 'The disk is full.', draft: { text: 'see', attachments } },
      status: {
        ...{ ...STATUS, offline: 'The provider could not be reached.', escalation: ESCALATION },
        readOnly: { text: 'Another window writes to this session.', isWrittenElsewhere: true },
      },
    },
  },
  'hostile text': {
    seen: 'A state of the page',
    data: {
      ...{ ...INIT, total: 30 },
      messages: HOSTILE_MARKDOWN.filter((_, index) => index % 7 === 0)
        .slice(0, 30)
        .map((text, index) => messageView(`h${index}`, text.slice(0, 2000))),
    },
  },
  'an error instead of the session': {
    seen: 'The session could not be opened.',
    data: {
      ...{ type: 'unavailable', text: 'The session could not be opened.' },
      actions: [{ label: 'Show Log', command: 'openLog' }],
    },
  },
};
