import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import * as fc from 'fast-check';
import { Library } from '../../src/app/library/library.ts';
import type { Source } from '../../src/app/library/source.ts';
import { readSession } from '../../src/app/library/read-session.ts';
import { allSources } from '../../src/sources/all-sources.ts';
import { Databases } from '../../src/sources/sqlite-databases.ts';
import { LibraryCopies } from '../../src/storage/library-copies.ts';
import { jsonl, putFile } from '../support/tool-homes/conversation.ts';
import { runs } from './runs.ts';

/** What happens in a session. `back`: the user undoes this many turns. `return`: the user returns to the turn this far back. */
type Step =
  | { readonly kind: 'turn'; readonly calls: number }
  | { readonly kind: 'back' | 'return'; readonly turns: number }
  | { readonly kind: 'noise' };

const turns = fc.integer({ min: 1, max: 4 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('turn' as const), calls: fc.nat(2) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('back' as const), turns }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('return' as const), turns }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'noise' as const }) },
);

/** A turn, and the one before it. */
interface Turn {
  readonly before: Turn | undefined;
  readonly texts: readonly string[];
  readonly last: string;
}

/** Writes the records of a tool. */
interface Tool {
  readonly tool: Source['tool'];
  readonly file: string;
  start(): readonly object[];
  /** A turn with the records' IDs, of which the first follows the record `after`. */
  turn(
    name: string,
    calls: number,
    after: string | null,
  ): { readonly records: readonly object[]; readonly last: string };
  noise(id: string, after: string | null): object;
  /** What the tool writes when the user goes back. */
  back(turns: number, id: string, after: string | null): readonly object[];
  /** Whether the user can return to turns that were undone. */
  readonly canReturn: boolean;
}

const textsOf = (name: string, calls: number): string[] => [
  `ask ${name}`,
  ...Array.from({ length: calls }, (_, index) => [`Read {"n":"${name}${index}"}`, `result ${name}${index}`]).flat(),
  `answer ${name}`,
];

/** The texts of a turn's messages, each of which becomes a record that follows the one before. */
function chained(
  name: string,
  calls: number,
  after: string | null,
  record: (text: string, index: number, links: { uuid: string; parentUuid: string | null }) => object,
): { records: readonly object[]; last: string } {
  const texts = textsOf(name, calls);
  const idOf = (index: number): string => `${name}-${index}`;
  const records = texts.map((text, index) =>
    record(text, index, { uuid: idOf(index), parentUuid: index === 0 ? after : idOf(index - 1) }),
  );
  return { records, last: idOf(texts.length - 1) };
}

const claudeCode: Tool = {
  tool: 'claude-code',
  file: '.claude/projects/p/s.jsonl',
  canReturn: true,
  start: () => [{ type: 'mode', sessionId: 's' }],
  turn: (name, calls, after) =>
    chained(name, calls, after, (text, index, links) => {
      const tool = (index - 1) >> 1;
      const content = text.startsWith('result')
        ? [{ type: 'tool_result', tool_use_id: `${name}${tool}`, content: text }]
        : text.startsWith('Read')
          ? [{ type: 'tool_use', id: `${name}${tool}`, name: 'Read', input: { n: `${name}${tool}` } }]
          : text;
      const isReply = text.startsWith('Read') || text.startsWith('answer');
      // Parallel calls follow one another, and each result follows its call.
      const parentUuid = text.startsWith('Read') && tool > 0 ? `${name}-${index - 2}` : links.parentUuid;
      const message = { content, ...(isReply && { id: text.startsWith('Read') ? `m${name}` : `${name}-${index}` }) };
      return { type: isReply ? 'assistant' : 'user', sessionId: 's', ...links, parentUuid, message };
    }),
  noise: (uuid, parentUuid) => ({ type: 'system', subtype: 'turn_duration', uuid, parentUuid }),
  back: () => [],
};

const qwen: Tool = {
  tool: 'qwen',
  file: '.qwen/projects/p/chats/s.jsonl',
  canReturn: false,
  start: () => [],
  turn: (name, calls, after) =>
    chained(name, calls, after, (text, index, links) => {
      const isReply = text.startsWith('Read') || text.startsWith('answer');
      const id = `${name}${(index - 1) >> 1}`;
      const part = text.startsWith('result')
        ? { functionResponse: { id, response: { output: text } } }
        : text.startsWith('Read')
          ? { functionCall: { id, name: 'Read', args: { n: id } } }
          : { text };
      return {
        type: isReply ? 'assistant' : 'user',
        ...links,
        message: { role: isReply ? 'model' : 'user', parts: [part] },
      };
    }),
  noise: (uuid, parentUuid) => ({ type: 'system', subtype: 'ui_telemetry', uuid, parentUuid }),
  back: (_, uuid, parentUuid) => [{ type: 'system', subtype: 'rewind', uuid, parentUuid }],
};

const codex: Tool = {
  tool: 'codex',
  file: '.codex/sessions/rollout-s.jsonl',
  canReturn: false,
  start: () => [{ type: 'session_meta', payload: { id: 's' } }],
  turn: (name, calls, after) =>
    chained(name, calls, after, (text, index) => {
      const id = `${name}${(index - 1) >> 1}`;
      const payload = text.startsWith('result')
        ? { type: 'function_call_output', call_id: id, output: text }
        : text.startsWith('Read')
          ? { type: 'function_call', call_id: id, name: 'Read', arguments: `{"n":"${id}"}` }
          : { type: 'message', role: text.startsWith('ask') ? 'user' : 'assistant', content: [{ type: 'text', text }] };
      return { type: 'response_item', payload };
    }),
  noise: () => ({ type: 'event_msg', payload: { type: 'token_count' } }),
  back: (turns) => [{ type: 'event_msg', payload: { type: 'thread_rolled_back', num_turns: turns } }],
};

/** A session's lines, and the texts of the messages that remain. */
function written(tool: Tool, steps: readonly Step[]): { text: string; expected: readonly string[] } {
  const records = [...tool.start()];
  const all: Turn[] = [];
  let current: Turn | undefined;
  /** The newest turn in what is written. Claude Code writes nothing when the user goes back. */
  let shown: Turn | undefined;
  /** The record that the next one follows. */
  let after: string | null = null;
  for (const [index, one] of steps.entries()) {
    const id = `s${index}`;
    if (one.kind === 'turn') {
      const { records: added, last } = tool.turn(id, one.calls, after);
      records.push(...added);
      shown = current = { before: current, texts: textsOf(id, one.calls), last };
      all.push(current);
      after = last;
    } else if (one.kind === 'noise') {
      // The tools only write such records after a message, or before the first one.
      if (after === null && all.length > 0) continue;
      records.push(tool.noise(id, after));
      after = id;
    } else if (one.kind === 'return') {
      current = (tool.canReturn ? all.at(-one.turns) : undefined) ?? current;
      after = current?.last ?? null;
    } else {
      let undone = 0;
      for (; current && undone < one.turns; current = current.before) undone++;
      after = current?.last ?? null;
      const added = undone === 0 ? [] : tool.back(undone, id, after);
      if (added.length === 0) continue;
      records.push(...added);
      shown = current;
      after = id;
    }
  }
  const expected: string[] = [];
  for (let turn = shown; turn; turn = turn.before) expected.unshift(...turn.texts);
  return { text: jsonl(...records), expected };
}

describe('a followed chat in which the user goes back', () => {
  for (const [name, tool] of Object.entries({ 'Claude Code': claudeCode, 'Qwen Code': qwen, Codex: codex }))
    it(`has the same messages as when it is read at once, and loses none that was copied: ${name}`, async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(step, { maxLength: 12 }),
          fc.array(fc.nat(4000), { maxLength: 6 }),
          async (steps, cuts) => {
            const { text, expected } = written(tool, steps);
            const home = mkdtempSync(path.join(os.tmpdir(), 'threadkeeper-home-'));
            const databases = new Databases(home);
            try {
              const sources = allSources({ folder: home, env: {} }, databases).filter((one) => one.tool === tool.tool);
              const copies = new LibraryCopies(path.join(home, 'library'));
              const library = await Library.open(copies);
              const file = putFile(home, tool.file, '');
              const copied = new Set<string>();
              const copy = async (): ReturnType<Library['read']> => {
                await library.sync(sources);
                const [session] = library.sessions();
                return session ? library.read(session) : { messages: [], compactions: [], lost: [] };
              };
              let from = 0;
              for (const to of [...cuts.filter((cut) => cut < text.length).sort((a, b) => a - b), text.length]) {
                appendFileSync(file, text.slice(from, to));
                from = to;
                for (const message of (await copy()).messages) copied.add(message.text);
              }
              const { messages } = await copy();
              const texts = messages.map((message) => message.text);
              assert.deepEqual(texts, expected);
              assert.equal(library.sessions()[0]?.entry.messages ?? 0, expected.length);
              for (const { key, copyBytes } of library.sessions())
                for (const record of await copies.read(key, copyBytes))
                  if ('message' in record) copied.delete(record.message.text);
              assert.deepEqual([...copied], []);
              if (expected.length === 0) return;
              for (const source of sources)
                for (const found of (await source.find()).files)
                  assert.deepEqual((await readSession(source, found)).messages, messages);
            } finally {
              await databases.close();
              rmSync(home, { recursive: true, force: true });
            }
          },
        ),
        runs(60),
      );
    });
});
