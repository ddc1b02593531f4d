import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { ForTests } from '../../src/host/extension.ts';
import type { Threadkeeper } from '../../src/host/threadkeeper.ts';
import { messageText } from '../../src/core/model/message.ts';
import type { Conversation } from '../../src/app/conversation.ts';
import type { WireServer } from '../support/wire-server.ts';

/** The running product, activated if necessary. */
export async function product(): Promise<Threadkeeper> {
  const extension = vscode.extensions.getExtension<ForTests | undefined>('threadkeeper.threadkeeper');
  assert.ok(extension, 'the extension is not installed');
  const running = await extension.activate();
  assert.ok(running, 'the product is shown to tests alone');
  return running.product();
}

/** Runs a command of the product. */
export const run = async (command: string, ...rest: readonly unknown[]): Promise<unknown> =>
  vscode.commands.executeCommand(`threadkeeper.${command}`, ...rest);

/** Imports the sample session of the demo workspace and opens it. */
export async function sampleSession(): Promise<Conversation> {
  const app = await product();
  await run('openSampleSession');
  assert.ok(app.sessions.current);
  return app.sessions.current;
}

/** A session's texts, oldest first, as `role: text`. */
export function transcript({ state }: Conversation): string[] {
  return state.path.map((id) => {
    const message = state.messages.get(id);
    return message ? `${message.role}: ${messageText(message)}` : '';
  });
}

/** The settings with which a server answers the chat. */
export const answeredBy = ({ url }: WireServer) => ({
  'chat.provider': 'compatible',
  'chat.model': 'm',
  'chat.baseUrl': `${url}/v1`,
});

/** Changes settings during a test and restores them. */
export async function withSettings<T>(settings: Readonly<Record<string, unknown>>, body: () => Promise<T>): Promise<T> {
  const configuration = vscode.workspace.getConfiguration('threadkeeper');
  const set = (name: string, value: unknown): Thenable<void> =>
    configuration.update(name, value, vscode.ConfigurationTarget.Global);
  try {
    for (const [name, value] of Object.entries(settings)) await set(name, value);
    return await body();
  } finally {
    for (const name of Object.keys(settings)) await set(name, undefined);
  }
}

/** The error with which a promise rejects. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => assert.fail('it did not fail'),
    (error: unknown) => error,
  );
}

/** Replaces a member of an object, such as a function of VS Code's API, during a test. */
export async function replacing<T>(of: object, name: string, value: unknown, body: () => Promise<T>): Promise<T> {
  const before = Object.getOwnPropertyDescriptor(of, name);
  Object.defineProperty(of, name, { configurable: true, value });
  try {
    return await body();
  } finally {
    if (before) Object.defineProperty(of, name, before);
    else Reflect.deleteProperty(of, name);
  }
}

/** Runs like in Restricted Mode. */
export const restricted = (body: () => Promise<void>): Promise<void> =>
  replacing(vscode.workspace, 'isTrusted', false, body);

type DialogAnswers = Partial<
  Record<
    | 'showQuickPick'
    | 'showOpenDialog'
    | 'showInputBox'
    | 'showErrorMessage'
    | 'showWarningMessage'
    | 'showInformationMessage'
    | 'withProgress'
    | 'createQuickPick',
    unknown
  >
>;

/** Adds the text of each dialog to a list, and dismisses the dialog. */
export const collectIn = (texts: string[]) => (text: string) => Promise.resolve(void texts.push(text));

/** Answers VS Code's dialogs for the user during a test. */
export async function answering<T>(answers: DialogAnswers, body: () => Promise<T>): Promise<T> {
  const before = new Map<string, unknown>();
  // Otherwise, messages to the user appear in the page.
  const { panel } = await product();
  Object.defineProperty(panel, 'isVisible', { configurable: true, value: false });
  for (const [name, answer] of Object.entries(answers)) {
    before.set(name, Reflect.get(vscode.window, name));
    assert.ok(Reflect.set(vscode.window, name, answer), `${name} can be answered`);
  }
  try {
    return await body();
  } finally {
    Reflect.deleteProperty(panel, 'isVisible');
    for (const [name, answer] of before) Reflect.set(vscode.window, name, answer);
  }
}
