/** Tags of elements that coding agents add to a user's message or send in place of one. */
const TAG =
  /<(\/?)(system-reminder|command-name|command-message|command-args|local-command-\w{1,20}|bash-(?:input|stdout|stderr)|ide_\w{1,30}|task-notification)>/g;

/** A slash command with arguments, which the user typed as a request. */
const REQUEST = /<command-name>([^<\n]{1,100})<\/command-name>[^]{0,400}?<command-args>(?!<\/command-args>)/;

/** A message without the elements that a coding agent added, but with slash commands that have arguments. Linear. */
export function withoutAgentElements(text: string): string {
  if (!text.includes('<')) return text;
  const command = REQUEST.exec(text)?.[1];
  const tags = [...text.matchAll(TAG)];
  const closing = tags.filter(([, slash]) => slash !== '');
  const lastClosing = new Map(closing.map(({ 2: name = '', index }) => [name, index]));
  let kept = '';
  let from = 0;
  for (const { 0: tag, 1: slash, 2: name = '', index } of tags) {
    const start = index + tag.length;
    if (slash !== '' || index < from || (lastClosing.get(name) ?? 0) < start) continue;
    const end = text.indexOf(`</${name}>`, start);
    kept += text.slice(from, index);
    if (name === 'command-args' && command !== undefined) kept += `${command} ${text.slice(start, end)}`;
    from = end + name.length + '</>'.length;
  }
  return from === 0 ? text : (kept + text.slice(from)).trim();
}
