import { summaryPrompt } from '../prompts/render.ts';
import { buildCorpus } from './corpus.ts';
import { DEFAULT_RUN_SETTINGS, type RunSettings, type RunTools } from './compress-run.ts';
import { framed } from './counting.ts';
import { firstThatFits } from './fitting.ts';
import { BARE_FRAME } from './narrative-frame.ts';
import { narrate, type ToldNodes } from './narrative.ts';
import { Pace, type SourceMessage } from './source.ts';
import { messageText } from '../model/message.ts';

/** A text that stands for messages, and the nodes it was made from. */
export interface Told extends ToldNodes {
  readonly text: string;
  /** Tokens of the text, its framing as one message included. */
  readonly tokens: number;
}

/**
 * Tells all messages in at most `budgetTokens` (framing included); '' only when there are none. With `inFull` what has
 * room beyond all that informs is told too: listings, line by line.
 */
export async function tell(
  messages: readonly SourceMessage[],
  tokens: readonly number[],
  budgetTokens: number,
  settings: Partial<RunSettings>,
  tools: RunTools,
  inFull = false,
): Promise<Told> {
  const { counter } = tools;
  if (messages.length === 0) return { text: '', tokens: 0, sent: [], nodes: [] };
  const pace = new Pace(tools.breather, tools.cancel);
  const told = await narrate(
    {
      messages,
      tokens,
      ranges: [{ from: 0, to: messages.length - 1 }],
      corpus: await buildCorpus(messages, pace, undefined, inFull),
      kept: new Map(),
      wanted: new Map(),
      strategy: 'summarize',
      settings: {
        ...DEFAULT_RUN_SETTINGS,
        prompt: settings.prompt ?? summaryPrompt('developer'),
        frontierTokens: budgetTokens,
        ...settings,
      },
      budgetTokens,
      frame: BARE_FRAME,
    },
    tools,
    pace,
  );
  const whole = BARE_FRAME.render(told.sent);
  const text = firstThatFits(whole === '' ? transcriptText(messages) : whole, budgetTokens, counter);
  return { ...told, text, tokens: framed(text, counter) };
}

/** Messages as one text, each under its speaker. */
export function transcriptText(messages: readonly SourceMessage[]): string {
  return messages.map((message) => `${message.role}: ${messageText(message)}`).join('\n');
}
