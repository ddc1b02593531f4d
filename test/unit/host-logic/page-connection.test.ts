import assert from 'node:assert/strict';
import { setImmediate as soon } from 'node:timers/promises';
import { ModelFault } from '../../../src/app/fault.ts';
import { pinEvents, undoCompressions } from '../../../src/app/summary-changes.ts';
import { Calibration } from '../../../src/core/tokens/calibration.ts';
import { resolvePolicy } from '../../../src/core/policy/policy.ts';
import type * as RequestsModule from '../../../src/host/chat/page-requests.ts';
import type * as GaugeModule from '../../../src/host/gauge/gauge-view.ts';
import type * as PageLinkModule from '../../../src/host/chat/page-connection.ts';
import type { HostToPage } from '../../../src/protocol/messages.ts';
import { compressionViews, MessageViews } from '../../../src/host/chat/message-views.ts';
import { defaultSettings, hostIn, workspaceWith } from '../../support/fake-editor.ts';
import { Harness, fill, says, throws } from '../app/harness.ts';
import { openForEachTest } from '../../support/per-test.ts';

const settings = defaultSettings();
const load = hostIn({ workspace: workspaceWith(settings) });
const { PageConnection } = await load<typeof PageLinkModule>('chat/page-connection.ts');
const { pageRequests } = await load<typeof RequestsModule>('chat/page-requests.ts');
const { gaugeView } = await load<typeof GaugeModule>('gauge/gauge-view.ts');

describe('the page’s connection to a session', () => {
  let harness: Harness;
  let link: PageLinkModule.PageConnection;
  openForEachTest(async () => (harness = await Harness.open()));
  afterEach(() => link.dispose());

  /** Connects the page to a session. `pick` is called with each message to the page. */
  const connect = (
    conversation: object,
    pick: Parameters<typeof link.onMessage>[0],
    owner: object = {},
    app: object = {},
  ) => {
    link = new PageConnection(conversation as never, app as never, owner as never);
    link.onMessage(pick);
    return link;
  };

  it('loads messages after a reply is regenerated', async () => {
    const conversation = await harness.filled(100);
    let epoch = 0;
    connect(conversation, (message) => {
      if (message.type === 'transcript') ({ epoch } = message);
    });
    await conversation.retry(conversation.state.path.at(-2)!);
    assert.equal(link.loadMessages(epoch, 0, 50).messages.length, 50);
  });

  it('begins with the newest journal if it is read again while sessions are listed', async () => {
    const [before, after] = [await harness.converse(), await harness.converse()];
    await after.journal.append({ type: 'session_renamed', title: 'Read again' });
    await fill(after, 3);
    let current = before;
    const conversation = new Proxy(before, {
      get: (_, name) => {
        const value: unknown = Reflect.get(current, name, current);
        return typeof value === 'function' ? (value.bind(current) as unknown) : value;
      },
    });
    const app = {
      drafts: { get: () => '', editsOf: () => ({}) },
      attachments: { views: () => [] },
      models: { label: () => '', takesImages: () => false },
      chosenModel: () => ({}),
    };
    const sessions = () => Promise.resolve(((current = after), []));
    const owner = { sessions, elsewhere: () => Promise.resolve(undefined), isModelReady: () => true };
    const { title, total } = await connect(conversation, () => undefined, owner, app).init();
    assert.deepEqual([title, total], ['Read again', 3]);
  });

  it('says where other sessions are only if the workspace has none', async () => {
    const list = [{ title: '', messages: 0 }];
    const owner = { sessions: () => Promise.resolve(list), elsewhere: () => Promise.resolve('moved') };
    const sent: unknown[] = [];
    const pick = (message: HostToPage) => message.type === 'sessions' && sent.push(message.elsewhere);
    connect(await harness.converse(), pick, owner);
    await link.sendSessions();
    list.push({ title: 'Build', messages: 2 });
    await link.sendSessions();
    assert.deepEqual(sent, ['moved', undefined]);
  });

  it('ends with the newest list of sessions, however long it takes to look for others', async () => {
    let list: readonly { title: string; messages: number }[] = [];
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const owner = { sessions: () => Promise.resolve(list), elsewhere: () => promise };
    const sent: number[] = [];
    const pick = (message: HostToPage) => message.type === 'sessions' && sent.push(message.sessions.length);
    connect(await harness.converse(), pick, owner);
    const first = link.sendSessions();
    await soon();
    list = [{ title: 'Build', messages: 2 }];
    const second = link.sendSessions();
    await soon();
    resolve(undefined);
    await Promise.all([first, second]);
    assert.deepEqual(sent, [0, 1]);
  });

  it('says when the next compression is due, also by the number of messages', async () => {
    harness.set({ policy: resolvePolicy('steady') });
    const told: unknown[] = [];
    const conversation = await harness.filled(4);
    connect(conversation, (message) => message.type === 'gauge' && told.push(message.gauge?.next)).sendGauge();
    assert.match(String(told[0]), /more tokens or 16 more messages, whichever comes first/);
  });

  it('reports a status once while a model thinks, not with each thought', async () => {
    harness.script = async function* (request, signal) {
      for (let thoughts = 0; thoughts < 100; thoughts++) yield { type: 'thinking' };
      yield* says('So it is.')(request, signal);
    };
    const conversation = await harness.converse();
    let thinking = 0;
    connect(conversation, (message) => {
      if (message.type === 'status' && message.status.thinking !== null) thinking++;
    });
    await conversation.send('Why?');
    assert.equal(thinking, 1);
  });

  it('warns with the figures of the gauge, also after a compression was undone', async () => {
    const conversation = await harness.compressed(40);
    const { journal, state, meter } = conversation;
    await journal.append({ type: 'escalation', reason: 'token_overflow' });
    const warned: (number | undefined)[] = [];
    connect(conversation, (message) => {
      if (message.type === 'status') warned.push(message.status.escalation?.requestTokens);
    });
    await undoCompressions(journal, [state.compressions[0]!.id], true);
    link.sendGauge();
    assert.deepEqual(warned, [meter.providerTokens(meter.context().total)]);
  });

  it('warns until there is ample room, so that a warning does not come and go with every turn', async () => {
    const conversation = await harness.filled(20);
    const { journal, meter } = conversation;
    const warned: boolean[] = [];
    connect(conversation, (message) => message.type === 'status' && warned.push(message.status.escalation !== null));
    const use = async (share: number): Promise<boolean | undefined> => {
      harness.set({ contextWindow: Math.round(meter.context().total / share), reservedTokens: 0 });
      await conversation.triggers.endEscalation();
      link.sendGauge();
      return warned.at(-1);
    };
    assert.equal(await use(0.65), undefined);
    await journal.append({ type: 'escalation', reason: 'token_overflow' });
    assert.equal(await use(0.75), true);
    assert.equal(await use(0.65), true);
    assert.equal(conversation.state.requiresEscalation, false);
    assert.equal(await use(0.55), false);
    assert.equal(await use(0.65), false);
  });

  async function failed(fault: ModelFault) {
    const conversation = await harness.compressed(60, (n) => `We decided to keep table ${n} in region ${n * 7}.`);
    harness.summarizer = throws(fault);
    harness.set({ contextWindow: Math.round(conversation.meter.context().total / 0.65) + 4_000 });
    const warnings: { readonly text: string; readonly actions: readonly string[] }[] = [];
    connect(conversation, (message) => {
      const warning = message.type === 'status' && message.status.escalation;
      if (warning) warnings.push({ text: warning.text, actions: warning.actions.map(({ command }) => command) });
    });
    await fill(conversation, 20);
    await conversation.send('And then?');
    await conversation.compressor.settled();
    await conversation.settled();
    return { conversation, latest: () => warnings.at(-1)! };
  }

  it('says that the summarizer failed and why, and offers to unpin key events only if some are pinned', async () => {
    const { conversation, latest } = await failed(new ModelFault('model_not_found', 'no such model'));
    const { journal, state } = conversation;
    assert.match(latest().text, /still uses .*\. The summarizer failed\. The provider doesn’t offer/);
    assert.ok(!latest().actions.includes('unpinAll'));
    await pinEvents(journal, [[...state.events.keys()][0]!], true);
    link.sendGauge();
    assert.ok(latest().actions.includes('unpinAll'));
  });

  it('does not say when to try a failed compression again, because that is shown unchanged for a long time', async () => {
    const { latest } = await failed(new ModelFault('rate_limited', 'slow down', { retryAfterMs: 600_000 }));
    assert.match(latest().text, /The summarizer failed\. Rate limit reached\.$/);
  });

  it('has the compressions of the next request, even after a reply for which summaries were expanded', async () => {
    const conversation = await harness.compressed(40);
    const { journal } = conversation;
    let covers = 0;
    let undone: boolean | undefined;
    connect(conversation, (message) => {
      if (message.type !== 'compression') return;
      covers = message.summaryRanges.length;
      undone = message.compressions[0]?.undone;
    });
    const [{ id, nodes }] = conversation.state.compressions as [(typeof conversation.state.compressions)[0]];
    await journal.append(...nodes.map((node) => ({ type: 'node_expanded', node, expanded: true }) as const));
    assert.deepEqual([covers, undone], [0, false], 'what is expanded for one request is not undone');
    await conversation.send('Go on.');
    assert.deepEqual([covers, undone], [conversation.state.frontier.length, false]);
    assert.ok(covers > 0);
    await undoCompressions(journal, [id], true);
    assert.deepEqual([covers, undone], [0, true]);
  });

  it('has compressions with the token counts of the gauge, as the preview before them', async () => {
    harness.calibration = new Calibration(1.3);
    const conversation = await harness.filled(40, (n) =>
      n === 0 ? 'Karim: Sounds good to me. My budget is 700 euros.' : `Part ${n} of the plan, which is rather long.`,
    );
    const estimateCost = () => ({ model: '', estimatedCostUsd: 0 });
    const app = { current: () => Promise.resolve({ conversation, estimateCost }) };
    const before = gaugeView(conversation).used;
    const preview = await pageRequests(app as never).previewCompression();
    assert.equal(preview.tokens.before, before);
    assert.ok(preview.kept.some(({ quote }) => quote === 'Karim: … My budget is 700 euros.'));
    assert.equal((await conversation.compressNow()).kind, 'committed');
    const { tokens } = compressionViews(conversation)[0]!;
    assert.deepEqual(tokens, { before, after: gaugeView(conversation).used });
    assert.deepEqual(tokens, preview.tokens);
  });

  it('sends compressions again with the gauge, but only if a usage report has changed their token counts', async () => {
    const calibration = (harness.calibration = new Calibration(1.3));
    const conversation = await harness.compressed(40);
    const sent: unknown[] = [];
    connect(conversation, (message) => message.type === 'compression' && sent.push(message.compressions));
    const sendGauge = (): unknown[] => {
      link.sendGauge();
      return sent.splice(0);
    };
    sendGauge();
    assert.deepEqual(sendGauge(), []);
    const before = compressionViews(conversation);
    const { total } = conversation.meter.context();
    assert.equal(calibration.observe({ tokens: total, reported: total * 2 }), 'learned');
    const after = compressionViews(conversation);
    assert.notDeepEqual(after, before);
    assert.deepEqual(sendGauge(), [after]);
    assert.deepEqual(sendGauge(), []);
  });

  it('reports an unknown cost as unknown, not as free', async () => {
    const cost = async (): Promise<unknown> => {
      const conversation = await harness.compressed(40);
      return compressionViews(conversation)[0]?.costUsd;
    };
    assert.equal(await cost(), 0);
    harness.summarizer = says('Parts of a listing were explained, one after the other.');
    assert.equal(await cost(), 0.001);
    harness.price = null;
    assert.equal(await cost(), null);
  });
});

describe('a message with attachments on the page', () => {
  it('has the size of each one, without counting the longest one again, which would block the window', async () => {
    await using harness = await Harness.open();
    const conversation = await harness.converse();
    const texts = ['A port.', 'A longer list of ports. '.repeat(50), 'The host is alpha.'];
    const attachments = texts.map((text) => ({ kind: 'paste', name: 'a', text }) as const);
    const sizes = attachments.map((one) => conversation.meter.providerTokens(conversation.counter.attachment(one)));
    await conversation.sendMessage({ text: 'Which one?', attachments });
    const counted: number[] = [];
    conversation.counter.attachment = (one) => {
      counted.push(texts.indexOf(one.text));
      return sizes[texts.indexOf(one.text)]!;
    };
    const [view] = new MessageViews(conversation).slice(0, 1);
    assert.deepEqual(
      view?.attachments?.map(({ tokens }) => tokens),
      sizes,
    );
    assert.deepEqual(counted, [0, 2]);
  });

  it('never has a negative size, even if the stored count is that of an earlier version', async () => {
    await using harness = await Harness.open();
    const conversation = await harness.converse();
    const attachments = ['A port.', 'A host.'].map((text) => ({ kind: 'paste', name: 'a', text }) as const);
    await conversation.sendMessage({ text: 'Which one?', attachments });
    conversation.counter.attachment = () => 1_000;
    const [view] = new MessageViews(conversation).slice(0, 1);
    assert.ok(view?.attachments?.every(({ tokens }) => tokens >= 0));
  });
});
