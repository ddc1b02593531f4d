import assert from 'node:assert/strict';
import { sessionToMarkdown } from '../../../src/core/transcript/markdown-export.ts';
import { sessionToJsonl } from '../../../src/core/transcript/session-jsonl.ts';
import { readTranscript } from '../../../src/core/transcript/transcript-reader.ts';
import { Desk } from '../../unit/app/desk.ts';
import { developerMessages, type BenchContext } from '../context.ts';
import { cpuMs } from '../report/cpu.ts';
import type { Figure, Measured } from '../report/figure.ts';
import { takeIn } from '../take-in.ts';

/** A long session exported as data and for people, and brought in again: read, then into a journal on disk. */
export async function measureTransfer(context: BenchContext): Promise<Measured> {
  const messages = developerMessages(context, context.quick ? 1_000 : 10_000);
  const count = messages.length.toLocaleString('en-US');
  context.say(`export and import: ${count} messages`);
  const desk = await Desk.open();
  try {
    const conversation = await desk.converse();
    await takeIn(conversation, messages);
    const { state } = conversation;
    const all = state.path.map((id) => state.messages.get(id) ?? assert.fail(id));
    let jsonl = '';
    let markdown = '';
    const asJsonl = await cpuMs(() => {
      jsonl = [...sessionToJsonl(all)].join('');
    });
    const asMarkdown = await cpuMs(() => {
      markdown = [...sessionToMarkdown({ title: 'A session', messages: all })].join('');
    });
    assert.ok(markdown.length > 0);
    let read = readTranscript('[]');
    const reading = await cpuMs(() => {
      read = readTranscript(jsonl);
    });
    assert.equal(read.messages, messages.length);
    const second = await desk.converse();
    const writing = await cpuMs(() => takeIn(second, read.transcript));
    assert.equal(second.state.path.length, messages.length);
    await second.close();
    await conversation.close();
    const megabytes = Buffer.byteLength(jsonl) / 1e6;
    const rate = (ms: number): number => megabytes / (ms / 1_000);
    const one = (id: string, label: string, value: number, unit: Figure['unit']): Figure => ({
      id: `speed.transfer.${id}`,
      label,
      value,
      unit,
    });
    return {
      figures: [
        one('jsonl', `${count} messages exported as JSONL`, asJsonl, 'ms'),
        one('jsonlRate', 'the same: of what is written', rate(asJsonl), 'MB/s'),
        one('markdown', `${count} messages exported as Markdown`, asMarkdown, 'ms'),
        one('read', `an export of ${count} messages read`, reading, 'ms'),
        one('import', 'the same, into a journal on disk', writing, 'ms'),
        one('importRate', 'reading and writing, of what is read', rate(reading + writing), 'MB/s'),
      ],
    };
  } finally {
    await desk.close();
  }
}
