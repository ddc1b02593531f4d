// Reads all tools' chats once in a separate process, like the worker thread. Arguments: home folder, folder of the
// copies. Prints a dot for each progress event and, on another line, the number of copied chats.
import { TOOLS } from '../../../src/app/library/source.ts';
import { FollowedChats } from '../../../src/worker/followed-chats.ts';

const [home = '', folder = ''] = process.argv.slice(2);
const chats = new FollowedChats({
  folder,
  home: { folder: home, env: {} },
  window: String(process.pid),
  onLibraryEvent: (news) => {
    if (news.type === 'progress') process.stdout.write('.');
  },
});
await chats.find();
await chats.follow({ tools: TOOLS, keepMs: 0 });
const { chats: kept } = await chats.list();
await chats.search({ text: 'port', limit: 30 });
await chats.close();
console.log(`\n${kept.length}`);
