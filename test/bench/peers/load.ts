import { existsSync } from 'node:fs';
import path from 'node:path';
import { PlainError } from '../../../scripts/support/plain-error.ts';
import { runCommand } from '../../../scripts/support/processes.ts';

const folder = path.resolve(import.meta.dirname, '..');
const INSTALL = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--no-package-lock'];

/** Installs the libraries into the benchmark's own folder, once; the product's own install never does. */
export async function installPeers(say: (text: string) => void): Promise<void> {
  if (existsSync(path.join(folder, 'node_modules', 'langchain'))) return;
  say('peers: installing them into test/bench');
  const { code, output } = await runCommand('npm', INSTALL, { cwd: folder });
  if (code !== 0) throw new PlainError(`The peers could not be installed.\n${output}`);
}

/** The token counter of gpt-tokenizer. */
export interface GptTokenizer {
  countTokens(text: string, options: { readonly disallowedSpecial: ReadonlySet<string> }): number;
  clearMergeCache(): void;
}

/** A message of LangChain. */
export interface LangChainMessage {
  readonly content: unknown;
  readonly id?: string;
}

type MessageClass = new (fields: { readonly content: string; readonly id?: string }) => LangChainMessage;

/** What the benchmark uses of LangChain's messages. */
export interface LangChainMessages {
  readonly HumanMessage: MessageClass;
  readonly AIMessage: MessageClass;
  trimMessages(
    messages: readonly LangChainMessage[],
    options: {
      readonly maxTokens: number;
      readonly strategy: 'last';
      readonly tokenCounter: (messages: readonly LangChainMessage[]) => number;
    },
  ): Promise<readonly LangChainMessage[]>;
}

/** A model as LangChain's memories and middleware ask it. */
export interface LangChainModel {
  invoke(prompt: unknown): Promise<{ readonly content: string }>;
}

/** What the benchmark uses of LangChain's middleware. */
export interface LangChainAgents {
  summarizationMiddleware(options: {
    readonly model: LangChainModel;
    readonly trigger: { readonly tokens: number };
    readonly keep?: { readonly tokens: number };
    readonly trimTokensToSummarize?: number;
  }): {
    beforeModel(
      state: { readonly messages: readonly LangChainMessage[] },
      runtime: { readonly context: object },
    ): Promise<{ readonly messages: readonly LangChainMessage[] } | undefined>;
  };
}

export interface Peers {
  readonly messages: LangChainMessages;
  readonly agents: LangChainAgents;
}

/** By variable names: the types of libraries that are not installed cannot be asked for. */
const NAMES = {
  tokenizer: 'gpt-tokenizer/encoding/o200k_base',
  messages: '@langchain/core/messages',
  agents: 'langchain',
};

export async function loadTokenizer(): Promise<GptTokenizer> {
  const tokenizer: GptTokenizer = await import(NAMES.tokenizer);
  return tokenizer;
}

export async function loadLangChain(): Promise<Peers> {
  const messages: LangChainMessages = await import(NAMES.messages);
  const agents: LangChainAgents = await import(NAMES.agents);
  return { messages, agents };
}
