import assert from 'node:assert/strict';
import { ModelFault } from '../../../src/app/fault.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { checkSummary } from '../../../src/app/check-summary.ts';
import { Compressor } from '../../../src/app/compressor.ts';
import type { Retries } from '../../../src/core/compress/ask-model.ts';
import { compressSession } from '../../../src/app/compress-session.ts';
import { Conversation } from '../../../src/app/conversation.ts';
import { OPEN_GATE, type SpendGate } from '../../../src/app/spend-limited-model.ts';
import type { SummarizerConfig } from '../../../src/app/summarizer.ts';
import {
  StoreFault,
  type ChatChunk,
  type ChatModel,
  type ChatRequest,
  type Clock,
  type SessionJournal,
} from '../../../src/app/ports.ts';
import type { SessionEvent } from '../../../src/core/journal/schema.ts';
import { regenerateSummary, type RegenerateOptions } from '../../../src/app/regenerate-summary.ts';
import { SessionSearch } from '../../../src/app/session-search.ts';
import type { ConversationSettings } from '../../../src/app/conversation-settings.ts';
import { messageId, type NodeId } from '../../../src/core/model/ids.ts';
import { messageText, type Role } from '../../../src/core/model/message.ts';
import type { SummaryCheck, SummaryNode } from '../../../src/core/model/summary.ts';
import { resolvePolicy } from '../../../src/core/policy/policy.ts';
import type { PresetName } from '../../../src/core/prompts/render-prompts.ts';
import type { Calibration } from '../../../src/core/tokens/calibration.ts';
import { phrase } from '../../../src/core/text/phrase.ts';
import { loadEncoding } from '../../../src/core/tokens/token-counter.ts';
import { countFiles } from '../../../src/storage/count-files.ts';
import { FileSessionStore } from '../../../src/storage/session-store.ts';
import { eventLoopYielder } from '../../support/yielders.ts';

/** The simulated model's behavior: it may throw, wait, or end when aborted. */
export type Script = (request: ChatRequest, signal: AbortSignal) => AsyncIterable<ChatChunk>;

export interface LogLine {
  readonly name: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly level: 'info' | 'warn' | 'error';
}

/** The use cases with a real store in a temporary folder. Only the model is simulated. */
export class Harness {
  readonly folder: string;
  readonly log: LogLine[] = [];
  readonly #log = {
    event: (name: string, fields: LogLine['fields'], level?: 'error'): void =>
      void this.log.push({ name, fields, level: level ?? 'info' }),
    warn: (message: string): void => void this.log.push({ name: 'warn', fields: { message }, level: 'warn' }),
  };
  readonly #languageRetries: Retries = new Map();
  readonly requests: ChatRequest[] = [];
  readonly summaryRequests: ChatRequest[] = [];
  readonly clock: Clock & { ahead: number };
  script: Script;
  summarizer: Script | undefined;
  /** Replaces the summarizer's script. */
  summary: SummarizerConfig | undefined;
  /** Maximum concurrent calls of the summarizer. */
  summarizerAtOnce = 3;
  /** Maximum input of the summarizer, in tokens. */
  summarizerInput = 100_000;
  /** Replaces the chat model's script. */
  chat: ChatModel | undefined;
  calibration: Calibration | undefined;
  /** The provider's own token count, if it has one. */
  countTokens: (() => Promise<number>) | undefined;
  spendGate: SpendGate = OPEN_GATE;
  /** Why nothing may be sent or compressed, as if the user's settings were invalid. */
  invalidSetting: Error | undefined;
  /** The cost of a call in US dollars; null if unknown. */
  price: number | null = 0.001;
  preset: PresetName = 'developer';
  settings: ConversationSettings = {
    systemPrompt: 'You help with code.',
    memory: '',
    policy: resolvePolicy('balanced'),
    contextWindow: 128_000,
    reservedTokens: 4000,
    temperature: undefined,
    extractiveOnFault: true,
    resetFinishedTask: true,
    recallShare: 0,
    countWithProvider: false,
  };
  #store: FileSessionStore;
  #second: FileSessionStore | undefined;
  #ids = 0;
  #writers = 0;

  static async open(script: Script = says('Fine.')): Promise<Harness> {
    return new Harness(await mkdtemp(path.join(os.tmpdir(), 'desk-')), script);
  }

  private constructor(folder: string, script: Script) {
    this.folder = folder;
    this.script = script;
    const clock = {
      ahead: 0,
      now: (): number => Date.now() + clock.ahead,
      id: (): string => `id-${++this.#ids}`,
      yielder: eventLoopYielder(),
    };
    this.clock = clock;
    this.#store = this.#newStore();
  }

  set(changes: Partial<ConversationSettings>): void {
    this.settings = { ...this.settings, ...changes };
  }

  /** Creates a session with `count` messages that no model wrote. */
  async filled(count: number, body?: (n: number) => string): Promise<Conversation> {
    const conversation = await this.converse();
    await fill(conversation, count, body);
    return conversation;
  }

  async compressed(count: number, body?: (n: number) => string): Promise<Conversation> {
    const conversation = await this.converse();
    await fillAndCompress(conversation, count, body);
    return conversation;
  }

  async converse(): Promise<Conversation> {
    return this.#conversation(await this.#store.create('', 'test'));
  }

  /** Abandons the session like a crashed process, and reopens it like another one. */
  async restart(conversation: Conversation): Promise<Conversation> {
    await conversation.journal.close();
    return this.reopen(conversation.journal.id);
  }

  /** Reopens a closed session without anything in memory, like another process. */
  async reopen(id: SessionJournal['id']): Promise<Conversation> {
    await this.#store.close();
    this.#store = this.#newStore();
    return this.#conversation(await this.#store.open(id));
  }

  async secondWindow(conversation: Conversation): Promise<Conversation> {
    this.#second ??= this.#newStore();
    return this.#conversation(await this.#second.open(conversation.journal.id));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async close(): Promise<void> {
    await this.#second?.close();
    await this.#store.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Regenerates a summary with the summarizer's script, if there is one. */
  regenerateSummary(conversation: Conversation, wanted: RegenerateOptions): Promise<SummaryNode> {
    const summarizer = this.#summarizer('test/summarizer');
    const model = summarizer && { model: summarizer, maxInputTokens: 100_000 };
    return conversation.runOutsideTurn(new AbortController().signal, (signal) =>
      regenerateSummary(this.#depsOf(conversation), { ...(model && { model }), ...wanted }, signal),
    );
  }

  /** Checks a summary against its messages with the summarizer's script. */
  checkSummary(conversation: Conversation, node: NodeId, signal = new AbortController().signal): Promise<SummaryCheck> {
    const model = this.#summarizer('test/reader') ?? assert.fail('there is no summarizer to ask');
    const reader = { model, maxInputTokens: 100_000 };
    const deps = this.#depsOf(conversation);
    return conversation.runOutsideTurn(signal, (abort) => checkSummary(deps, node, reader, abort));
  }

  #depsOf({ journal, counter, counts, compressor }: Conversation) {
    return {
      ...{ journal, counter, counts, clock: this.clock, spendGate: this.spendGate },
      languageRetries: this.#languageRetries,
      log: this.#log,
      settings: () => this.settings,
      preset: () => this.preset,
      price: () => 0.001,
      recordUsage: (usage: Parameters<Compressor['recordUsage']>[0]) => compressor.recordUsage(usage),
    };
  }

  /** Lets the summarizer wait for `unblock` before it answers. `asked` resolves when it's called. */
  blockSummarizer(answer: Script): { readonly asked: Promise<void>; readonly unblock: () => void } {
    const asked = Promise.withResolvers<undefined>();
    const gate = Promise.withResolvers<undefined>();
    this.summarizer = async function* (request, signal) {
      asked.resolve(undefined);
      await Promise.race([gate.promise, cancelled(signal)]);
      yield* answer(request, signal);
    };
    return { asked: asked.promise, unblock: () => gate.resolve(undefined) };
  }

  /** The model of the summarizer's script, if there is one. */
  #summarizer(id: string): ChatModel | undefined {
    const { summarizer } = this;
    return (
      summarizer &&
      scripted(id, (request, signal) => {
        this.summaryRequests.push(request);
        return summarizer(request, signal);
      })
    );
  }

  get warnings(): string {
    return this.logged('warn')
      .map(({ fields }) => String(fields['message']))
      .join('\n');
  }

  logged(name: string): LogLine[] {
    return this.log.filter((line) => line.name === name);
  }

  #newStore(): FileSessionStore {
    return new FileSessionStore({ folder: this.folder, clock: this.clock, writer: `window-${++this.#writers}` });
  }

  async #conversation(journal: SessionJournal): Promise<Conversation> {
    const { clock } = this;
    const log = this.#log;
    const counter = await loadEncoding('o200k_base');
    const search = new SessionSearch(() => journal.state, clock);
    const price = (): number | null => this.price;
    const conversation = new Conversation({
      journal,
      clock,
      log,
      counter,
      countStore: countFiles(this.folder, log.warn),
      compressor: new Compressor({
        journal,
        clock,
        log,
        counter,
        spendGate: { state: () => this.spendGate.state(), recordCost: (costUsd) => this.spendGate.recordCost(costUsd) },
        work: compressSession({ clock, price, preset: () => this.preset, languageRetries: this.#languageRetries }),
        summaryModel: () => {
          const summarizer = this.#summarizer('test/summarizer');
          const model = summarizer && { ...summarizer, maxConcurrency: this.summarizerAtOnce };
          return Promise.resolve(this.summary ?? (model && { model, maxInputTokens: this.summarizerInput }));
        },
        price,
      }),
      settings: () => this.settings,
      callSettings: () => {
        if (this.invalidSetting) throw this.invalidSetting;
        return this.settings;
      },
      calibration: () => this.calibration,
      chatModel: () =>
        Promise.resolve(
          this.chat ??
            scripted(
              'test/chat',
              (request, signal) => {
                this.requests.push(request);
                return this.script(request, signal);
              },
              this.countTokens,
            ),
        ),
      price,
      recall: (text, budget) => search.recall(text, budget, counter),
    });
    await conversation.prepare();
    return conversation;
  }
}

function scripted(id: string, script: Script, countTokens?: () => Promise<number>): ChatModel {
  return { id, provider: 'test', model: id, stream: script, ...(countTokens && { countTokens }) };
}

/** Answers everything with this text, and reports usage. */
export function says(text: string): Script {
  return async function* () {
    await Promise.resolve();
    for (const piece of text.split(/(?<= )/)) yield { type: 'text', text: piece };
    yield { type: 'usage', usage: { input: 100, output: 10 } };
    yield { type: 'end', ending: 'complete' };
  };
}

/** Rejects like a model whose request is canceled. */
export const cancelled = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const cancel = (): void => reject(new ModelFault('cancelled', 'cancelled'));
    if (signal.aborted) cancel();
    else signal.addEventListener('abort', cancel);
  });

/** Lets the journal reject writes with such an event, until the returned function is called. */
export function refuseWrites(
  { journal }: Conversation,
  isRefused: (event: SessionEvent) => boolean,
  fault: Error = new StoreFault('other', phrase('broken')),
): () => void {
  const append = journal.append.bind(journal);
  journal.append = (...events) => (events.some(isRefused) ? Promise.reject(fault) : append(...events));
  return () => {
    journal.append = append;
  };
}

export function throws(error: unknown): Script {
  return async function* () {
    await Promise.resolve();
    throw error;
  };
}

/** Adds `count` messages without a model, alternating between user and assistant. */
export async function fill(
  conversation: Conversation,
  count: number,
  body = (n: number) => defaultBody(n),
): Promise<void> {
  for (let n = 0; n < count; n++) {
    const role: Role = n % 2 === 0 ? 'user' : 'assistant';
    const { state, journal } = conversation;
    await journal.append({
      type: 'message_added',
      message: {
        id: messageId(`filled-${state.path.length}-${n}`),
        parent: state.head,
        role,
        content: [{ type: 'text', text: body(n) }],
        at: Date.now(),
      },
    });
  }
}

/** Adds messages like `fill`, and compresses the session. */
export async function fillAndCompress(...added: Parameters<typeof fill>): Promise<void> {
  await fill(...added);
  assert.equal((await added[0].compressNow()).kind, 'committed');
}

/** Checks the triggers as after a turn, and waits until due compressions are committed. */
export async function endTurn(conversation: Conversation): Promise<void> {
  await conversation.betweenTurns();
  await conversation.settled();
}

/** Small talk without decisions: short questions and longer explanations. */
const defaultBody = (n: number): string =>
  n % 2 === 0
    ? `What happens in part ${n}?`
    : [
        `Part ${n} comes after part ${n - 1} in the listing, and it looks much like that one.`,
        'A loop goes over the rows, a helper turns each row into an object, and the objects are gathered in a list.',
        'The list is then handed to the caller, who shows it as a table with a heading and a line for each object.',
        'There is some history behind it, since an older version printed the rows one by one.',
        'Most of the lines deal with the widths of the columns, as one sees in printers of this sort.',
        'The remaining lines are about colours, and they are not very interesting either.',
      ].join(' ');

export function texts({ state }: Conversation): string[] {
  return state.path.map((id) => messageText(state.messages.get(id)!));
}
