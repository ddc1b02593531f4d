import { Worker } from 'node:worker_threads';
import * as vscode from 'vscode';
import {
  CHAT_LIBRARY_METHODS,
  type ChatCall,
  type ChatLibrary,
  type ChatNews,
  type ChatReply,
} from '../../app/library/chat-library.ts';
import { StoreFault } from '../../app/ports.ts';
import { phrase } from '../../core/text/phrase.ts';

export interface LibraryThreadOptions {
  /** The file of the thread's code. */
  readonly file: string;
  readonly data: () => { readonly folder: string; readonly home: string; readonly window: string };
  /** Is called when the thread ends though nobody asked it to. */
  readonly ended: (fault: StoreFault) => void;
}

/** More than reading 200 chats of 1 GB takes; a thread that needs more ends, and the editor does not. */
const MAX_HEAP_MB = 2048;

/** The library in a thread of its own, so that reading chats never holds up the editor's extensions. */
export class LibraryThread implements vscode.Disposable {
  readonly #options: LibraryThreadOptions;
  readonly #news = new vscode.EventEmitter<ChatNews>();
  readonly onNews = this.#news.event;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #worker: Worker | undefined;
  #lastId = 0;
  /** The library's methods, each of which asks the thread. */
  readonly library: ChatLibrary;

  constructor(options: LibraryThreadOptions) {
    this.#options = options;
    const methods = CHAT_LIBRARY_METHODS.map(
      (method) => [method, (...args: readonly unknown[]) => this.#call(method, args)] as const,
    );
    // Each name was paired with a call of its own just now, which the compiler cannot see.
    this.library = Object.fromEntries(methods) as unknown as ChatLibrary;
  }

  get isRunning(): boolean {
    return this.#worker !== undefined;
  }

  dispose(): void {
    this.#news.dispose();
  }

  /** Ends the thread once it has let go of what it holds. */
  async end(): Promise<void> {
    const worker = this.#worker;
    if (!worker) return;
    try {
      await this.library.close();
    } finally {
      this.#worker = undefined;
      this.#refuse(faultOf('closed'));
      await worker.terminate();
    }
  }

  #call(method: ChatCall['method'], args: readonly unknown[]): Promise<unknown> {
    const id = ++this.#lastId;
    const waiting = Promise.withResolvers<unknown>();
    this.#waiting.set(id, waiting);
    this.#started().postMessage({ id, method, args });
    return waiting.promise;
  }

  #started(): Worker {
    if (this.#worker) return this.#worker;
    const { file, data } = this.#options;
    const worker = new Worker(file, {
      workerData: data(),
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
      // Node warns that SQLite is new each time that it is loaded.
      execArgv: ['--no-warnings'],
    });
    this.#worker = worker;
    worker.on('message', (reply: ChatReply) => this.#received(reply));
    worker.on('error', (error: Error) => this.#ended(worker, error.message));
    worker.on('exit', (code) => this.#ended(worker, `exit ${code}`));
    return worker;
  }

  #received(reply: ChatReply): void {
    if ('news' in reply) return this.#news.fire(reply.news);
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if ('result' in reply) waiting?.resolve(reply.result);
    else waiting?.reject(new StoreFault('other', reply.fault));
  }

  #ended(worker: Worker, why: string): void {
    // Its end is told twice when it fails, and another one may have begun in between.
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    const fault = faultOf(why);
    this.#refuse(fault);
    this.#options.ended(fault);
  }

  #refuse(fault: StoreFault): void {
    for (const waiting of this.#waiting.values()) waiting.reject(fault);
    this.#waiting.clear();
  }
}

function faultOf(why: string): StoreFault {
  return new StoreFault('other', phrase('Couldn’t read all chats from other tools: {0}.', why));
}
