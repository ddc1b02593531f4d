import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { syntheticSession } from '../bench/data/synthetic.ts';
import { Workbench } from './workbench.ts';

const EDITED = 'Written by hand: the booking service keeps its slots in SQLite.';

interface Kind {
  readonly name: string;
  /** What the session tells of. */
  readonly told: string;
  readonly open: (workbench: Workbench) => Promise<void>;
}

const SAMPLE: Kind = {
  name: 'the sample session',
  told: 'reminder mail SMTP timeout',
  open: (workbench) => workbench.chooseCommand('Threadkeeper: Open Sample Session'),
};
const LONG: Kind = {
  name: 'a session of 10,000 messages',
  told: 'batchSize from now on',
  open: async (workbench) => {
    const lines = syntheticSession(10_000).map(({ role, text }) => JSON.stringify({ role, content: text }));
    await writeFile(path.join(workbench.folder ?? '', 'very-long.jsonl'), `${lines.join('\n')}\n`);
    await workbench.chooseCommand('Threadkeeper: Import Transcript');
    await workbench.paletteRow('very-long.jsonl').click();
    // What would come in is shown first.
    await workbench.paletteRow('Import 10,000 messages').click();
  },
};

for (const kind of [SAMPLE, LONG]) {
  describe(`the summaries of ${kind.name}`, function () {
    let workbench: Workbench;

    before(async function () {
      if (kind === LONG) {
        if (process.env.THREADKEEPER_LONG === undefined) this.skip();
        this.timeout(600_000);
      }
      workbench = await Workbench.open({ profile: kind === LONG ? 'summaries-long' : 'summaries' });
      await kind.open(workbench);
      await workbench.toast(/Imported [\d,.]+ messages/).waitFor({ timeout: 240_000 });
      await workbench.clearToasts();
      await workbench.runCommand('Threadkeeper: Compress History');
      await workbench.toast(/Compressed [\d,.]+ messages/).waitFor({ timeout: 240_000 });
      await workbench.clearToasts();
      await workbench.openSidebar('Threadkeeper');
      await workbench.treeRow(/^Summaries/).waitFor();
    });

    after(() => workbench?.close());

    const rows = (): Locator => workbench.page.locator('.sidebar .monaco-list-row');
    const twistie = (row: Locator): Locator => row.locator('.monaco-tl-twistie');
    const pick = (text: string | RegExp): Promise<void> =>
      workbench.page.locator('.quick-input-list .monaco-list-row', { hasText: text }).first().click();
    /** Runs a command on the first summary. */
    const onFirst = async (title: string): Promise<void> => {
      await workbench.page.keyboard.press('Escape');
      await workbench.runCommand('View: Close All Editors');
      await workbench.chooseCommand(title);
      await workbench.page.locator('.quick-input-list .monaco-list-row').first().click();
    };
    const editor = () => workbench.page.locator('.editor-group-container.active .monaco-editor .view-lines');
    const tab = (title: string | RegExp): Locator => workbench.page.locator('.tab.active', { hasText: title });
    const preview = async (): Promise<void> => {
      await workbench.runCommand('Threadkeeper: Preview What Would Be Sent');
      await tab('What Would Be Sent').waitFor();
    };
    const undoChange = (): Promise<void> => workbench.runCommand('Threadkeeper: Undo Change to Summaries');
    /** Looks for a text in the document in front. */
    const find = async (text: string): Promise<number> => {
      await editor().first().click();
      await workbench.page.keyboard.press('Control+F');
      const widget = workbench.page.locator('.find-widget.visible');
      await widget.locator('textarea').first().fill(text);
      const count = widget.locator('.matchesCount');
      await workbench.page.waitForTimeout(700);
      const shown = await count.innerText();
      await workbench.page.keyboard.press('Escape');
      return Number(/of (\d+)/.exec(shown)?.[1] ?? 0);
    };

    it('are a tree: what is in context with its tokens, the summaries with their facts, key events, compressions', async () => {
      await twistie(rows().filter({ hasText: 'Now in context' }).first()).click();
      await rows().filter({ hasText: 'Newest messages' }).first().waitFor();
      await workbench.page
        .locator('.sidebar .monaco-list-row[aria-level="2"]', { hasText: /\d+–\d+ · .* → / })
        .first()
        .waitFor();
      if (kind === SAMPLE) await workbench.screenshot('summaries-view');
      await twistie(rows().filter({ hasText: 'Now in context' }).first()).click();
      await twistie(
        rows()
          .filter({ hasText: /^Summaries/ })
          .first(),
      ).click();
      await rows().filter({ hasText: 'Compressions' }).first().waitFor();
    });

    it('are narrowed to key events of a kind and to what answers some words, and shown whole again', async () => {
      await workbench.chooseCommand('Threadkeeper: Filter Summaries');
      await pick('Decisions');
      await rows().filter({ hasText: 'Filter: Decisions' }).waitFor();
      await workbench.page.locator('.sidebar .monaco-list-row[aria-level="2"]').first().waitFor();
      assert.equal(await rows().filter({ hasText: 'Now in context' }).count(), 0);
      await workbench.chooseCommand('Threadkeeper: Filter Summaries');
      await pick('By words');
      await workbench.quickInput().fill(kind.told);
      await workbench.page.keyboard.press('Enter');
      await rows()
        .filter({ hasText: `Filter: ${kind.told}` })
        .waitFor();
      await workbench.page.locator('.sidebar .monaco-list-row[aria-level="2"]').first().waitFor();
      if (kind === SAMPLE) await workbench.screenshot('summaries-filtered');
    });

    it('lead from what was found to its message, and from there to the view with all above it opened', async () => {
      const message = workbench.page.locator('.sidebar .monaco-list-row[aria-level="2"]', {
        hasText: /\d+ · (?:user|assistant|tool)/,
      });
      await message.first().click();
      await tab(/^Message \d+/).waitFor();
      const lens = workbench.page.locator('.codelens-decoration a');
      await lens.filter({ hasText: 'Show in Chat' }).waitFor();
      await lens.filter({ hasText: 'Show in Summaries' }).click();
      // The filter is taken off, and the message's row is selected below its summary.
      await rows().filter({ hasText: 'Filter:' }).waitFor({ state: 'detached' });
      await workbench.page
        .locator('.sidebar .monaco-list-row.selected', { hasText: /\d+ · (?:user|assistant|tool)/ })
        .waitFor();
      await workbench.screenshot(`summaries-revealed-${kind === SAMPLE ? 'sample' : 'long'}`);
    });

    it('are read at each level, as lists and as their source', async () => {
      for (const [level, title] of [
        [/^Brief/, '(Brief)'],
        [/^Detailed/, '(Detailed)'],
        [/^Structured/, '(Structured)'],
        [/^Source/, '(Source)'],
      ] as const) {
        await onFirst('Threadkeeper: Read Summary At Level');
        await pick(level);
        await tab(title).waitFor();
        await editor().first().waitFor();
      }
    });

    it('are edited in a tab: what is saved is what is sent next, and the change can be undone and redone', async () => {
      await onFirst('Threadkeeper: Edit Summary');
      await editor().first().click();
      await workbench.page.keyboard.press('Control+A');
      await workbench.page.keyboard.insertText(EDITED);
      await workbench.page.keyboard.press('Control+S');
      await workbench.page.locator('.tab.active:not(.dirty)').waitFor();
      if (kind === SAMPLE) await workbench.screenshot('summary-edited');
      await preview();
      assert.ok((await find('Written by hand')) > 0, 'the preview holds the edited text');
      if (kind === SAMPLE) await workbench.screenshot('preview-next');
      await undoChange();
      await workbench.page.waitForTimeout(1000);
      assert.equal(await find('Written by hand'), 0);
      await workbench.runCommand('Threadkeeper: Redo Change to Summaries');
      await workbench.page.waitForTimeout(1000);
      assert.ok((await find('Written by hand')) > 0);
    });

    it('survive a reload of the window as they were edited', async () => {
      await workbench.reload();
      await workbench.runCommand('View: Close All Editors');
      await preview();
      assert.ok((await find('Written by hand')) > 0);
      await undoChange();
    });

    it('are made anew in full, which can be undone', async () => {
      await onFirst('Threadkeeper: Make Summary Anew');
      await pick('In full, from the source');
      await workbench.toast(/The summary was made anew: [\d,.]+ tokens/).waitFor();
      await workbench.clearToasts();
      await onFirst('Threadkeeper: Read Summary At Level');
      await pick(/^Full/);
      await tab('(Full)').waitFor();
      await undoChange();
    });

    it('are expanded into the context for the next turn, and stand again when that is undone', async () => {
      await onFirst('Threadkeeper: Expand Summary for the Next Turn');
      await workbench.toast(/sent word for word with your next message/).waitFor();
      await workbench.clearToasts();
      await workbench.treeRow('Opened').waitFor();
      await undoChange();
      await workbench.treeRow('Opened').waitFor({ state: 'detached' });
    });

    it('are compared with their source, statement by statement', async () => {
      await onFirst('Threadkeeper: Compare Summary With Source');
      await workbench.toast(/\d+ statements; \d+ are not supported by the source/).waitFor();
      if (kind === SAMPLE) await workbench.screenshot('compare-with-source');
      await workbench.clearToasts();
      await workbench.runCommand('View: Close All Editors');
    });

    it('answer why something was forgotten, and bring it back', async () => {
      await workbench.runCommand('View: Close All Editors');
      await workbench.chooseCommand('Threadkeeper: Why Did It Forget?');
      await workbench.quickInput().fill(kind.told);
      await workbench.page.keyboard.press('Enter');
      const answer = workbench.page.locator('.quick-input-list .monaco-list-row, .notification-toast').first();
      await answer.waitFor();
      if (kind === SAMPLE) await workbench.screenshot('why-forgotten');
      await workbench.page.keyboard.press('Escape');
      await workbench.chooseCommand('Threadkeeper: Why Did It Forget?');
      await workbench.quickInput().fill('zebra crossing in Timbuktu');
      await workbench.page.keyboard.press('Enter');
      await workbench.toast(/Never said/).waitFor();
      await workbench.clearToasts();
    });

    it('have a dry run of the next compression and a history of those that were', async () => {
      await workbench.runCommand('Threadkeeper: Preview a Compression');
      await tab('Compression Preview').waitFor();
      await workbench.runCommand('Threadkeeper: Show Compressions');
      await editor().getByText('Because of').first().waitFor();
      if (kind === SAMPLE) await workbench.screenshot('compressions');
    });

    it('have a chart of the context’s size', async () => {
      await workbench.runCommand('Threadkeeper: Show Context Over Time');
      const chart = workbench.webview().locator('svg');
      await chart.waitFor();
      assert.ok((await chart.locator('.compression').count()) > 0);
      await workbench.screenshot(kind === SAMPLE ? 'context-chart' : 'context-chart-long');
    });

    it('are opened by undoing the last compression, or what was compressed since a point, and put back', async () => {
      await workbench.runCommand('View: Close All Editors');
      await workbench.runCommand('Threadkeeper: Undo Last Compression');
      await workbench.treeRow('Opened').waitFor();
      await undoChange();
      await workbench.treeRow('Opened').waitFor({ state: 'detached' });
      await onFirst('Threadkeeper: Undo Compressions Since');
      await workbench.toast(/compressions were undone/).waitFor();
      await workbench.treeRow('Opened').waitFor();
      await undoChange();
      await workbench.treeRow('Opened').waitFor({ state: 'detached' });
    });
  });
}
