// A process of its own that does what the editor does at its start: list the sessions of a folder, open the newest (or
// make one), count, and assemble what the page and the gauge show. Prints its own CPU time, in ms, and what it found.
//   node open-newest.mjs FOLDER
const before = process.cpuUsage();
const { openNewest } = await import('./opening.ts');
const opened = await openNewest(process.argv[2] ?? '');
const { user, system } = process.cpuUsage(before);
process.stdout.write(JSON.stringify({ ms: (user + system) / 1000, ...opened }), () => process.exit());

export {};
