import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { syntheticSession } from '../bench/data/synthetic.ts';
import { ContextView } from './context-view.ts';
import { Workbench } from './workbench.ts';

const EDITED = 'Written by hand: the booking service keeps its slots in SQLite.';
/** A statement about the summary's source that doesn't occur in it. */
const NEVER_SAID = 'The service runs on 12 servers in Oslo and keeps its data in Postgres.';

interface Kind {
  readonly name: string;
  /** A topic of the session. */
  readonly told: string;
  readonly open: (workbench: Workbench) => Promise<void>;
}

const SAMPLE: Kind = {
  name: 'the sample session',
  told: 'reminder mail SMTP timeout',
  open: (workbench) => workbench.openSampleSession(),
};
const LONG: Kind = {
  name: 'a session of 10,000 messages',
  told: 'batchSize from now on',
  open: (workbench) => {
    const lines = syntheticSession(10_000).map(({ role, text }) => `${JSON.stringify({ role, content: text })}\n`);
    return workbench.importTranscript('made-of-10000.jsonl', lines.join(''), 10_000);
  },
};

for (const kind of [SAMPLE, LONG]) {
  describe(`Context view of ${kind.name}`, function () {
    let workbench: Workbench;
    let view: ContextView;

    before(async function () {
      if (kind === LONG) {
        if (process.env.THREADKEEPER_LONG === undefined) this.skip();
        this.timeout(600_000);
      }
      workbench = await Workbench.open({ profile: kind === LONG ? 'summaries-long' : 'summaries' });
      view = new ContextView(workbench);
      await kind.open(workbench);
      await view.compress();
      await workbench.treeRow(/^Summaries/).waitFor();
    });

    after(() => workbench?.close());

    async function filterByText(): Promise<void> {
      await workbench.ask('Threadkeeper: Filter Context View…', () => view.pick('Filter by Text'));
      await workbench.answerInputBox(kind.told);
      await workbench.treeRow(`Filter: ${kind.told}`).waitFor();
    }

    /** The first summary, once the rows that contain it are expanded. */
    async function firstSummary(): Promise<Locator> {
      await workbench.openSidebar('Threadkeeper');
      // A revealed message may have scrolled it out of view.
      await workbench.page.locator('.sidebar .monaco-list').first().press('Home');
      await view.turn('In context now', false);
      const summary = workbench.treeRow(/\d+–\d+ · .* → /).first();
      // Many summaries are grouped in ranges, and very many in ranges of ranges.
      await view.openDownTo(summary, /^Summaries|^Messages 1–/);
      return summary;
    }

    it('shows the current context, the summaries and the compressions as a tree', async () => {
      await firstSummary();
      await view.turn('In context now', true);
      await workbench.treeRow('Recent messages').first().waitFor();
      if (kind === SAMPLE) await workbench.screenshot('summaries-view');
      await view.turn('In context now', false);
      await view.turn(/^Summaries/, false);
      await workbench.treeRow('Compressions').first().waitFor();
    });

    it('expands row by row down to the oldest message', async () => {
      await workbench.runCommand('View: Close All Editors');
      await firstSummary();
      const oldest = workbench.treeRow(/(?:^|\D)1 · (?:You|Assistant)$/);
      // Expands ranges, summaries, and a leaf's messages.
      await view.openDownTo(oldest.first(), /^Messages 1–|(?:^|\D)1–\d+ · .* → /);
      await oldest.first().click();
      await workbench.activeTab('Message 1').waitFor();
      if (kind === SAMPLE) await workbench.screenshot('summaries-oldest');
    });

    it('filters by key event kind and by text', async () => {
      await workbench.ask('Threadkeeper: Filter Context View…', () => view.pick('Decisions'));
      await workbench.treeRow('Filter: Decisions').waitFor();
      await workbench.page.locator('.sidebar .monaco-list-row[aria-level="2"]').first().waitFor();
      await workbench.treeRow('In context now').waitFor({ state: 'detached' });
      await filterByText();
      await workbench.page.locator('.sidebar .monaco-list-row[aria-level="2"]').first().waitFor();
      if (kind === SAMPLE) await workbench.screenshot('summaries-filtered');
      await workbench.runCommand('Threadkeeper: Clear Context View Filter');
    });

    it('opens the message of a search result, and reveals it in the tree without the filter', async () => {
      await filterByText();
      // In the long session, the best results are only key events.
      const message = workbench.page.locator('.sidebar .monaco-list-row[aria-level="2"]', {
        hasText: kind === SAMPLE ? /\d+ · (?:You|Assistant|Tool)/ : /\d+ · (?:active|superseded|didn’t fit)/,
      });
      await message.first().click();
      await workbench.activeTab(/^Message \d+/).waitFor();
      const lens = workbench.page.locator('.codelens-decoration a');
      await lens.filter({ hasText: 'Show in Chat' }).waitFor();
      await lens.filter({ hasText: 'Show in Context View' }).click();
      // The filter is removed, and the message's row is selected below its summary.
      await workbench.treeRow('Filter:').waitFor({ state: 'detached' });
      await workbench.page
        .locator('.sidebar .monaco-list-row.selected', { hasText: /\d+ · (?:You|Assistant|Tool)/ })
        .waitFor();
      await workbench.screenshot(`summaries-revealed-${kind === SAMPLE ? 'sample' : 'long'}`);
    });

    it('opens a summary at each level, as structured lists and as its source', async () => {
      for (const [level, title] of [
        [/^Brief/, '(Brief)'],
        [/^Detailed/, '(Detailed)'],
        [/^Structured/, '(Structured)'],
        [/^Source/, '(Source)'],
      ] as const) {
        await view.onFirst('Threadkeeper: Open Summary or Change Detail Level…');
        await view.pick(level);
        await workbench.activeTab(title).waitFor();
        await workbench.editorText().first().waitFor();
      }
    });

    it('sends a summary as edited in a tab, and undoes and redoes the edit', async () => {
      await view.onFirst('Threadkeeper: Edit Summary');
      await workbench.editorText().first().click();
      await workbench.page.keyboard.press('Control+A');
      await workbench.page.keyboard.insertText(EDITED);
      // The tab may not know that there is something to save until it's rendered.
      await workbench.editorText().getByText(EDITED.slice(0, 15)).first().waitFor();
      await workbench.page.keyboard.press('Control+S');
      await workbench.page.locator('.tab.active:not(.dirty)').waitFor();
      if (kind === SAMPLE) await workbench.screenshot('summary-edited');
      await workbench.runCommand('View: Close All Editors');
      await view.preview();
      await view.waitForText('Written by hand');
      if (kind === SAMPLE) await workbench.screenshot('preview-next');
      await view.undoChange();
      await view.reader().getByText('Written by hand').first().waitFor({ state: 'detached' });
      await workbench.runCommand('Threadkeeper: Redo Context Change');
      await view.waitForText('Written by hand');
      await view.undoChange();
    });

    it('shows details of a summary on hover', async () => {
      await workbench.hoverUntil(
        await firstSummary(),
        workbench.page.locator('.monaco-hover:visible', { hasText: /sent\s+as:/ }),
      );
    });

    it('opens a summary as a rendered document, and as text with a command', async () => {
      await workbench.runCommand('View: Close All Editors');
      await (await firstSummary()).click();
      await view.reader().locator('.heading-1').first().waitFor();
      assert.equal(await view.reader().getByText('# ', { exact: false }).filter({ hasText: /^# / }).count(), 0);
      if (kind === SAMPLE) await workbench.screenshot('summary-read');
      // A link in the document opens in the same tab.
      await view.reader().locator('[role="link"]', { hasText: 'Source' }).first().click();
      await view.waitForText(/^Source: /);
      await workbench.runCommand('Threadkeeper: Open as Text');
      await workbench.editorText().getByText('# Source: ').first().waitFor();
      await workbench.runCommand('View: Close All Editors');
    });

    it('regenerates a summary from its source or from other summaries, and undoes that', async () => {
      await view.onFirst('Threadkeeper: Regenerate Summary…');
      await workbench.paletteRow('Add Full Summary').waitFor();
      // Instructions are only for models, and none is configured.
      const joined = workbench.paletteRow('From Child Summaries');
      await joined.or(workbench.paletteRow('Without a Model')).first().click();
      await workbench.waitForNotice(/Summary regenerated \([\d,.]+ tokens\)/);
      await workbench.clearToasts();
      await view.undoChange();
    });

    it('compares a summary with its source, and reports statements that do not appear in the source', async () => {
      await view.onFirst('Threadkeeper: Edit Summary');
      await workbench.editorText().first().click();
      await workbench.page.keyboard.press('Control+Home');
      await workbench.page.keyboard.insertText(`${NEVER_SAID}\n`);
      await workbench.editorText().getByText(NEVER_SAID.slice(0, 15)).first().waitFor();
      await workbench.page.keyboard.press('Control+S');
      await workbench.page.locator('.tab.active:not(.dirty)').waitFor();
      await view.onFirst('Threadkeeper: Compare Summary with Source');
      await workbench.waitForNotice(/Statements with terms that don’t appear in the source: [1-9]/);
      if (kind === SAMPLE) await workbench.screenshot('compare-with-source');
      await workbench.clearToasts();
      await workbench.runCommand('View: Close All Editors');
      await view.undoChange();
    });

    it('finds where forgotten information is, and says when there is no mention of it', async () => {
      await workbench.runCommand('View: Close All Editors');
      await workbench.ask('Threadkeeper: Find Forgotten Information', () => workbench.answerInputBox(kind.told));
      await workbench.paletteRow(/In the context|In the summary|Archived/).waitFor();
      if (kind === SAMPLE) await workbench.screenshot('why-forgotten');
      await workbench.page.keyboard.press('Escape');
      await workbench.ask('Threadkeeper: Find Forgotten Information', () =>
        workbench.answerInputBox('zebra crossing in Timbuktu'),
      );
      await workbench.waitForNotice(/No mention of/);
      await workbench.clearToasts();
    });

    it('shows the compression history', async () => {
      await workbench.runCommand('Threadkeeper: Show Compression History');
      await view.waitForText('Trigger: Manual');
      if (kind === SAMPLE) await workbench.screenshot('compressions');
    });

    it('shows a chart of the context size', async () => {
      await workbench.runCommand('Threadkeeper: Show Context Chart');
      const chart = workbench.webview().locator('svg:visible');
      await chart.locator('.compression').first().waitFor({ state: 'attached' });
      await workbench.screenshot(kind === SAMPLE ? 'context-chart' : 'context-chart-long');
    });

    it('pins and unpins a key event from the command palette', async () => {
      // The chart's page would take the focus from the list.
      await workbench.runCommand('View: Close All Editors');
      for (const title of ['Threadkeeper: Pin Key Event', 'Threadkeeper: Unpin Key Event']) {
        await workbench.ask(title, () => view.pickTopmost('Key events'));
        await workbench.quickInput().waitFor({ state: 'hidden' });
      }
    });

    it('undoes the last compression, or one and all later ones, and reverses each undo', async () => {
      await workbench.runCommand('View: Close All Editors');
      await workbench.runCommand('Threadkeeper: Undo Last Compression');
      await workbench.treeRow('Reverted summaries').waitFor();
      await view.undoChange();
      await workbench.treeRow('Reverted summaries').waitFor({ state: 'detached' });
      await view.onNewestCompression('Undo This and Later Compressions');
      await workbench.waitForNotice(/compressions? undone/);
      await workbench.treeRow('Reverted summaries').waitFor();
      await view.undoChange();
      await workbench.treeRow('Reverted summaries').waitFor({ state: 'detached' });
    });
  });
}
