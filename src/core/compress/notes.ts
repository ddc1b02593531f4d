import { messageId } from '../model/ids.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';
import { buildCorpus, type Corpus } from './corpus.ts';
import { extract } from './extractive.ts';
import { passageText } from './passages.ts';
import { splitSentences } from './render-summary.ts';
import type { Pace } from './source.ts';

/** What sets one note apart from others counts for more than what each segment's notes say. */
const NOVELTY = 4;

/**
 * Of what a model has noted of each segment, as much as `budgetTokens` hold, chosen over all of them at once: first what
 * speaks of things that the source seldom does. Nothing is lost where all of it fits. Texts in their order; '' where
 * nothing of one is chosen.
 */
export async function chooseNotes(
  notes: readonly string[],
  source: Corpus,
  budgetTokens: number,
  counter: Pick<TokenCounter, 'text'>,
  pace: Pace,
): Promise<readonly string[]> {
  const sizes = notes.map((text) => (text === '' ? 0 : counter.text(text) + 1));
  if (sizes.reduce((sum, one) => sum + one, 0) <= budgetTokens) return notes;
  const lines = await buildCorpus(
    notes.map((text, at) => ({
      id: messageId(String(at)),
      role: 'assistant',
      content: [{ type: 'text', text: text.split('\n').flatMap(splitSentences).join('\n') }],
    })),
    pace,
  );
  const rarity = lines.rarity.slice();
  for (const [term, index] of lines.vocabulary) {
    const known = source.vocabulary.get(term);
    if (known !== undefined) rarity[index] = source.rarity[known]!;
  }
  const passages = lines.passages.map((passage) => ({ ...passage, kind: 'noted' as const }));
  const { passages: chosen } = await extract(
    { ...lines, rarity, passages },
    { budgetTokens, counter, pace, novelty: NOVELTY },
  );
  const kept = notes.map((): string[] => []);
  for (const passage of chosen) kept[passage.message]!.push(passageText(passage, lines.texts[passage.message]!));
  return kept.map((one) => one.join('\n'));
}
