import { renderEvent, renderLedger } from '../context/render.ts';
import { fitLedger, type FittedLedger } from '../events/ledger-budget.ts';
import type { KeyEvent } from '../model/key-event.ts';
import { breathe } from '../pace/breather.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';
import type { Pace, SourceMessage } from './source.ts';
import { asKeyEvent, type TranscriptEvent } from './transcript-events.ts';

/** Which of a transcript's key events a ledger of so many tokens holds. */
export async function fitEvents(
  entries: readonly TranscriptEvent[],
  messages: readonly SourceMessage[],
  room: number,
  counter: TokenCounter,
  pace: Pace,
): Promise<FittedLedger> {
  const current = entries.map(asKeyEvent);
  const costs: number[] = [];
  for (const entry of current) {
    costs.push(counter.text(`${ledgerLine(entry, messages)}\n`));
    await breathe(pace);
  }
  return fitLedger(current, costs, room);
}

/** A ledger as it is sent; '' when nothing is in it. */
export const ledgerText = ({ kept }: FittedLedger, messages: readonly SourceMessage[]): string =>
  renderLedger(kept.map((entry) => ledgerLine(entry, messages)));

function ledgerLine(entry: KeyEvent, messages: readonly SourceMessage[]): string {
  const position = Number(entry.message);
  return renderEvent(entry, position, messages[position]?.role ?? 'user');
}
