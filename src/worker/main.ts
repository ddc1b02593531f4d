import { parentPort, workerData } from 'node:worker_threads';
import * as v from 'valibot';
import { CHAT_LIBRARY_METHODS, type ChatCall, type ChatReply } from '../app/library/chat-library-calls.ts';
import { accessFault } from '../storage/disk-errors.ts';
import { phrase } from '../core/text/phrase.ts';
import { FollowedChats } from './followed-chats.ts';

// The worker thread for the chats from other tools. Posts one reply per call, and events at any time.

const port = parentPort;
if (!port) throw new Error('this is the code of a worker thread');

const { folder, home, window } = v.parse(
  v.object({ folder: v.string(), home: v.string(), window: v.string() }),
  workerData,
);
const post = (reply: ChatReply): void => port.postMessage(reply);
const chats = new FollowedChats({
  folder,
  home: { folder: home, env: process.env },
  window,
  onLibraryEvent: (event) => post({ event }),
});
const callSchema = v.object({ id: v.number(), method: v.picklist(CHAT_LIBRARY_METHODS), args: v.array(v.unknown()) });

port.on('message', (message: unknown) => {
  const { id, method, args }: ChatCall = v.parse(callSchema, message);
  const call = chats[method].bind(chats) as (...given: readonly unknown[]) => Promise<unknown>;
  call(...args).then(
    (result) => post({ id, result }),
    (error: unknown) => {
      post({ id, fault: accessFault(error, phrase('the copies of chats from other tools')).phrase });
    },
  );
});
