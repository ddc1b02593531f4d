import { messageId } from '../model/ids.ts';
import type { Role } from '../model/message.ts';
import type { Rung, SummaryNode } from '../model/summary.ts';
import { buildCorpus, firstOf, type Corpus } from './corpus.ts';
import { NOTED_LABEL } from './extractive.ts';
import { passageText, type Passage } from './passages.ts';
import { splitSentences } from './render-summary.ts';
import type { Pace } from './source.ts';

const SPEAKER = /^(user|assistant|tool|system|summary): /;

interface Speech {
  readonly role: Role;
  readonly noted: boolean;
  readonly lines: string[];
}

/** Summaries' texts cut into the speeches they quote and what they note themselves, so that who spoke still counts. */
export async function spokenCorpus(children: readonly SummaryNode[], pace: Pace): Promise<Corpus> {
  const speeches = children.flatMap(({ detailed, rung }) => spoken(detailed, rung));
  const corpus = await buildCorpus(
    speeches.map(({ role, noted, lines }, index) => ({
      id: messageId(String(index)),
      role,
      // Of running text each sentence is worth what it says by itself.
      content: [{ type: 'text', text: (noted ? lines.flatMap(splitSentences) : lines).join('\n') }],
    })),
    pace,
  );
  const passages = corpus.passages.map((passage) =>
    speeches[passage.message]!.noted ? { ...passage, kind: 'noted' as const } : passage,
  );
  const saidOf = (passage: Passage): string => bare(passageText(passage, corpus.texts[passage.message]!));
  const noted = new Set(passages.filter(({ kind }) => kind === 'noted').map(saidOf));
  // What is quoted and noted is told once.
  const kept = passages.filter((passage) => passage.kind === 'noted' || !noted.has(saidOf(passage)));
  return {
    ...corpus,
    passages: kept,
    firstOf: firstOf(kept, corpus.texts.length),
    passageTokens: new Int32Array(kept.length),
  };
}

/** A sentence without the marks before and behind it. */
const bare = (text: string): string => text.replace(/^[-*•\s]+|[.。!！;；,\s]+$/g, '');

function spoken(text: string, rung: Rung): Speech[] {
  const speeches: Speech[] = [];
  for (const line of text.split('\n')) {
    const speaker = SPEAKER.exec(line);
    const open = speeches.at(-1);
    if (speaker) {
      const noted = speaker[1] === NOTED_LABEL;
      speeches.push({ role: roleOf(speaker[1]!), noted, lines: [line.slice(speaker[0].length)] });
    } else if (open) open.lines.push(line);
    // What stands before the first speaker is a model's or a user's summary; a plain cut has no speakers.
    else speeches.push({ role: 'assistant', noted: rung !== 'cut', lines: [line] });
  }
  return speeches;
}

function roleOf(name: string): Role {
  return name === 'user' || name === 'tool' || name === 'system' ? name : 'assistant';
}
