import assert from 'node:assert/strict';
import { decisionsText, recalledText } from '../../../src/app/workspace-recall.ts';
import {
  renderEvent,
  renderLedger,
  renderRecalled,
  renderSummaries,
  renderTask,
} from '../../../src/core/context/render-context.ts';
import { detectEvents } from '../../../src/core/events/detect.ts';
import { memoryText } from '../../../src/core/memory/memory.ts';
import { messageId, nodeId, taskId } from '../../../src/core/model/ids.ts';
import type { KeyEvent } from '../../../src/core/model/key-event.ts';
import { nodeWith, type SummaryNode } from '../../../src/core/model/summary.ts';
import { renderAttachment } from '../../../src/core/text/render-attachment.ts';
import { PROMPT_LABEL, PROMPT_SECTIONS } from '../../../src/core/text/prompt-sections.ts';
import { findPasted } from '../../../src/core/text/untrusted-text.ts';
import { matchesGolden } from '../../support/golden.ts';
import { keyEvent } from '../../support/key-events.ts';
import { INJECTION_KINDS, INJECTIONS, type Injection } from '../../fixtures/injections.ts';

const BINDING: ReadonlySet<string> = new Set(['constraint', 'preference', 'decision', 'todo']);
const SECTION = new RegExp(`^<((?:${PROMPT_SECTIONS.join('|')})-[0-9a-f]{8})(?: [^\\n]*)?>\\n([^]*)\\n</\\1>$`);
const OWN_TAG = new RegExp(`</?\\s*(?:${PROMPT_SECTIONS.join('|')})`, 'i');

/** The worst case: the user pinned the whole text. */
const pinned = (quote: string): KeyEvent => keyEvent(quote, { pinned: true });

const summary = (text: string): SummaryNode =>
  nodeWith({
    id: nodeId('n1'),
    first: messageId('m1'),
    last: messageId('m2'),
    messages: 2,
    brief: text,
    detailed: text,
  });

function sections({ text, role = 'user' }: Injection): readonly string[] {
  const quoted = { session: text, message: 4, role, text };
  return [
    renderLedger([renderEvent(pinned(text), 6, role)], true),
    renderSummaries([{ node: summary(text), from: 0, to: 9, level: 'detailed' }], true),
    renderRecalled([{ position: 6, role, text }]),
    renderTask({ id: taskId('t1'), goal: text, steps: [{ text, status: 'pending' }] }),
    renderAttachment({ kind: 'file', name: text, text }),
    memoryText([{ id: 'e1', kind: 'constraint', text, at: 0 }], 10_000, () => 1).text,
    recalledText([quoted]),
    decisionsText({ memory: [text], decisions: [quoted] }),
  ];
}

describe('injected text', () => {
  it('has six samples of each of the ten kinds', () => {
    for (const kind of INJECTION_KINDS) assert.equal(INJECTIONS.filter((one) => one.kind === kind).length, 6, kind);
  });

  for (const kind of INJECTION_KINDS) {
    it(`stays inside its section: ${kind}`, () => {
      for (const injection of INJECTIONS.filter((one) => one.kind === kind)) {
        for (const rendered of sections(injection)) {
          const found = SECTION.exec(rendered);
          assert.ok(found, `no section: ${rendered}`);
          const [, mark, content] = found;
          assert.ok(!content!.includes(mark!.slice(-8)), `the mark is in the content: ${rendered}`);
          assert.doesNotMatch(content!, OWN_TAG);
          assert.doesNotMatch(content!, /<\|(?:im_|system)/);
        }
      }
    });

    it(`forges no label: ${kind}`, () => {
      for (const injection of INJECTIONS.filter((one) => one.kind === kind)) {
        for (const rendered of sections(injection)) {
          for (const { index } of rendered.matchAll(PROMPT_LABEL)) {
            const isQuoted = rendered[index - 1] === '“';
            const isOwn = /message 7|messages 1–10|message 4/.test(rendered.slice(index, rendered.indexOf(']', index)));
            assert.ok(isQuoted || isOwn, `a label that nobody made: ${rendered.slice(index, index + 80)}`);
          }
        }
      }
    });

    it(`creates no binding key event: ${kind}`, () => {
      const spoken = INJECTIONS.filter((one) => one.kind === kind && !['attachment', 'title', 'memory'].includes(kind));
      for (const { text, poison, role = 'user', pasted } of spoken) {
        const said = { role, text, ...(pasted && { pasted: findPasted([text], text) }) };
        const bound = detectEvents(said, { before: { role: 'assistant', text: 'Shall we go on?' } }).filter(
          (event) =>
            BINDING.has(event.kind) &&
            role !== 'assistant' &&
            event.start < text.indexOf(poison) + poison.length &&
            text.indexOf(poison) < event.end,
        );
        assert.deepEqual(bound, [], `filed as the user's own: ${text}`);
      }
    });
  }

  it('is rendered like in the reviewed golden file, in all sections', () => {
    matchesGolden(import.meta.url, 'sections', `${sections(INJECTIONS[0]!).join('\n\n')}\n`);
  });

  it('is neutralized like in the reviewed golden file, in the same way in each section', () => {
    const all = INJECTIONS.map((injection) => {
      const rendered = sections(injection);
      const [, label = '', text = ''] = /^- (\[.*?\]) ([^]*)\n<\/key_events-/m.exec(rendered[0]!) ?? [];
      const [, line = ''] = /^- \[constraint\] (.*)$/m.exec(rendered[5]!) ?? [];
      const [, name = ''] = / name="([^"\n]*)">\n/.exec(rendered[4]!) ?? [];
      for (const part of rendered) assert.ok(part.includes(text) || part.includes(line), part);
      for (const part of rendered.slice(6)) assert.ok(part.includes(`“${name}”`), part);
      return [injection.text, `${label} ${text}`, line, name].map((form) => `${JSON.stringify(form)}\n`).join('');
    });
    matchesGolden(import.meta.url, 'texts', all.join('\n'));
  });
});
