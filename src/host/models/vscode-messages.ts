import type { ChatRequest } from '../../app/ports.ts';
import { userTurnText, toTurns, type Turn } from '../../providers/strict-turns.ts';

/** A message for VS Code's models, which have two roles and only text. */
interface VsCodeMessage {
  readonly role: 'user' | 'assistant';
  readonly text: string;
}

/**
 * Converts a request to messages for VS Code's models. The API (1.105) has no system role, so the system prompt is the
 * first user message, fenced. Tool calls and results become text, because most models reject such parts if no tools are
 * declared. Images are mentioned, because the API has no part for them.
 */
export function toVsCodeMessages(request: Pick<ChatRequest, 'system' | 'messages'>): readonly VsCodeMessage[] {
  const system = request.system.filter((block) => block.trim() !== '').join('\n\n');
  const turns = toTurns(request.messages).map((turn): VsCodeMessage => ({ role: turn.role, text: turnText(turn) }));
  return system === '' ? turns : [{ role: 'user', text: fenced(system) }, ...turns];
}

/** Fences the system prompt with a name that doesn't occur in it, so that the prompt can't close the fence. */
function fenced(system: string): string {
  let name = 'instructions';
  for (let number = 2; system.includes(name); number += 1) name = `instructions-${number}`;
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
  return [...results, userTurnText(turn).trim(), ...images].filter((part) => part !== '').join('\n\n');
}
