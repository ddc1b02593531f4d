import type { ChatRequest } from '../../app/ports.ts';
import { plainText, toTurns, type Turn } from '../../providers/turns.ts';

/** One message as the editor's models take it: two roles, text alone. */
export interface EditorMessage {
  readonly role: 'user' | 'assistant';
  readonly text: string;
}

/**
 * A request as messages for a model of the editor. The editor's interface (1.105) knows no system role, so the system
 * prompt is the first user message, fenced. Calls of tools and their results are named in the text, not sent as parts:
 * most models behind the interface refuse such parts when no tools are offered. Images are named too, since the
 * interface has no part for them.
 */
export function editorMessages(request: Pick<ChatRequest, 'system' | 'messages'>): readonly EditorMessage[] {
  const system = request.system.filter((block) => block.trim() !== '').join('\n\n');
  const turns = toTurns(request.messages).map((turn): EditorMessage => ({ role: turn.role, text: turnText(turn) }));
  return system === '' ? turns : [{ role: 'user', text: fenced(system) }, ...turns];
}

/** The fence's name must not stand in the text itself, or the text could end the fence. */
function fenced(system: string): string {
  let name = 'instructions';
  for (let again = 2; system.includes(name); again += 1) name = `instructions-${again}`;
  return `<${name}>\n${system}\n</${name}>\n\nWhat stands between the marks holds for the whole conversation. The user wrote none of it; the conversation begins with the next message.`;
}

function turnText(turn: Turn): string {
  if (turn.role === 'assistant') {
    const calls = turn.calls.map((call) => `[call of ${call.name}: ${call.json}]`);
    return [turn.text, ...calls].filter((part) => part !== '').join('\n\n');
  }
  const results = turn.results.map(
    (result) => `[${result.isError ? 'failed call' : 'result of a call'}: ${result.text}]`,
  );
  const images = turn.parts.flatMap((part) => (part.type === 'image' ? [`[image of type ${part.mediaType}]`] : []));
  return [...results, plainText(turn).trim(), ...images].filter((part) => part !== '').join('\n\n');
}
