/** Elements that coding agents add to a user's message for the model, or instead of one. */
const ADDED =
  /<(system-reminder|command-name|command-message|command-args|local-command-\w{1,20}|bash-(?:input|stdout|stderr)|ide_\w{1,30}|task-notification)>/g;

/** A slash command with arguments, which are a request. */
const REQUEST = /<command-name>([^<\n]{1,100})<\/command-name>[^]{0,400}?<command-args>(?=[^<])/;

/**
 * A message without the elements that a coding agent added. A slash command that has arguments is kept, as it was typed.
 * Linear.
 */
export function withoutClientText(text: string): string {
  if (!text.includes('<')) return text;
  const command = REQUEST.exec(text)?.[1];
  let kept = '';
  let from = 0;
  const unclosed = new Set<string>();
  for (const { 0: tag, 1: name = '', index } of text.matchAll(ADDED)) {
    if (index < from || unclosed.has(name)) continue;
    const start = index + tag.length;
    const end = text.indexOf(`</${name}>`, start);
    if (end === -1) {
      unclosed.add(name);
      continue;
    }
    kept += text.slice(from, index);
    if (name === 'command-args' && command !== undefined) kept += `${command} ${text.slice(start, end)}`;
    from = end + name.length + '</>'.length;
  }
  return from === 0 ? text : (kept + text.slice(from)).trim();
}
