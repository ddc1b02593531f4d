// Does what the editor does at startup, in a separate process: lists the sessions of a folder, opens the newest one or
// creates one, counts its tokens, and assembles the context for page and gauge. Prints the CPU time in ms and the result.
//   node open-newest.mjs FOLDER
const before = process.cpuUsage();
const { openNewest } = await import('./opening.ts');
const opened = await openNewest(process.argv[2] ?? '');
const { user, system } = process.cpuUsage(before);
process.stdout.write(JSON.stringify({ ms: (user + system) / 1000, ...opened }), () => process.exit());

export {};
