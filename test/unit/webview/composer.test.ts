import assert from 'node:assert/strict';
import { PAGE_COMMANDS } from '../../../src/protocol/views.ts';
import { completionAt, matchingItems } from '../../../src/webview/composer-completion.ts';
import { InputHistory } from '../../../src/webview/input-history.ts';
import { matchingCommands, parseSlashCommand, SLASH_COMMANDS } from '../../../src/webview/slash-commands.ts';

describe('composer completion and slash commands', () => {
  it('completes a command after a slash at the start of the text, and only there', () => {
    assert.deepEqual(completionAt('/co', 3), { kind: 'command', query: 'co', start: 0, end: 3 });
    assert.equal(completionAt('see /co', 7), undefined);
    assert.equal(completionAt('/co\nFix the parser', 3), undefined, 'the text after it would be lost');
    const names = matchingCommands('re').map((each) => each.name);
    assert.deepEqual(names, ['reset', 'recall']);
  });

  it('parses a slash command with its argument, and treats other text as a message', () => {
    assert.equal(parseSlashCommand('/task  Make it green \n')?.argument, 'Make it green');
    assert.equal(parseSlashCommand('/COMPRESS')?.slash.command, 'compressHistory');
    assert.equal(parseSlashCommand('/compact')?.slash.command, 'compressHistory');
    assert.equal(parseSlashCommand('/usr/bin/env'), undefined);
    assert.equal(parseSlashCommand('/unknown thing'), undefined);
  });

  it('offers only slash commands that the host knows', () => {
    for (const { command } of SLASH_COMMANDS) assert.ok(command === 'pin' || PAGE_COMMANDS.includes(command), command);
  });

  it('completes a file after a number sign that begins a word', () => {
    assert.deepEqual(completionAt('look at #src/a', 14), { kind: 'context', query: 'src/a', start: 8, end: 14 });
    assert.equal(completionAt('issue#12', 8), undefined);
  });
});

describe('suggested context', () => {
  it('includes items found for an earlier query only if they match the current one', () => {
    const items = ['fold.ts', 'Food.ts'].map(
      (path) => ({ label: path, detail: path, what: { kind: 'file', path } }) as const,
    );
    const suggested = (query: string) => matchingItems({ query: 'fo', items }, query).map(({ label }) => label);
    assert.deepEqual(suggested('fo'), ['fold.ts', 'Food.ts']);
    assert.deepEqual(suggested('foo'), ['Food.ts']);
    assert.deepEqual(suggested('bar'), []);
  });

  it('includes all items that the host found for the current query', () => {
    const items = [{ label: 'a.ts', detail: 'src/a.ts', what: { kind: 'file', path: 'src/a.ts' } }] as const;
    assert.deepEqual(matchingItems({ query: 'src/', items }, 'src/'), items);
  });
});

describe('composer history', () => {
  it('goes back through sent texts and returns to the unsent draft', () => {
    const history = new InputHistory(['one', 'two']);
    assert.equal(history.step(-1, 'draft'), 'two');
    assert.equal(history.step(-1, 'two'), 'one');
    assert.equal(history.step(-1, 'one'), undefined);
    assert.equal(history.step(1, ''), 'two');
    assert.equal(history.step(1, ''), 'draft');
    assert.equal(history.step(1, ''), undefined);
    assert.equal(history.isBrowsing, false);
  });

  it('keeps the changes to a sent text while another one is shown, until one is sent', () => {
    const history = new InputHistory(['one', 'two']);
    history.step(-1, '');
    assert.equal(history.step(-1, 'two and more'), 'one');
    assert.equal(history.step(1, 'one'), 'two and more');
    history.reset();
    assert.equal(history.step(-1, ''), 'two');
  });

  it('leaves the arrow keys to a text of several lines until its first or last line', () => {
    const history = new InputHistory(['one', 'two\nlines']);
    assert.equal(history.textAfterKey('ArrowUp', 'Typed', 0, 0), undefined);
    assert.equal(history.textAfterKey('ArrowUp', '', 0, 0), 'two\nlines');
    assert.equal(history.textAfterKey('ArrowUp', 'two\nlines', 9, 9), undefined);
    assert.equal(history.textAfterKey('ArrowDown', 'two\nlines', 3, 3), undefined);
    assert.equal(history.textAfterKey('ArrowLeft', 'two\nlines', 3, 3), undefined);
    assert.equal(history.textAfterKey('ArrowUp', 'two\nlines', 3, 3), 'one');
    assert.equal(history.textAfterKey('ArrowDown', 'one', 3, 3), 'two\nlines');
    assert.equal(history.textAfterKey('ArrowDown', 'two\nlines', 9, 9), '');
  });
});
