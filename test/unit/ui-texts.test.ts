import assert from 'node:assert/strict';
import { checkPlurals, checkTranslations } from '../../scripts/texts/check-translations.ts';
import { collectTexts, type SourceTexts } from '../../scripts/texts/source-texts.ts';
import { putFile } from '../support/tool-homes/conversation.ts';
import { inFolder } from './storage/test-store.ts';

const collect = (sources: Readonly<Record<string, string>>): Promise<SourceTexts> =>
  inFolder((root) => {
    for (const [file, text] of Object.entries(sources)) putFile(root, file, text);
    return Promise.resolve(collectTexts(root, Object.keys(sources)));
  });

describe('UI text check', () => {
  it('collects the texts of host, webview and core', async () => {
    const { english, faults } = await collect({
      'src/host/a.ts': `vscode.l10n.t('Open {0}', name); new vscode.TreeItem(formatCounted(n, '1 row', '{0} rows'));`,
      'src/core/b.ts': `throw new StoreFault(phrase("The file's gone: {0}.", what));`,
      'src/webview/c.tsx': `<b title={text(isNew ? 'Send' : 'Resend')}>{formatCounted(n, '1 line', '{0} lines')}</b>`,
    });
    assert.deepEqual(english, [
      ...['1 line', '1 row', 'Open {0}', 'Resend', 'Send', "The file's gone: {0}.", '{0} lines', '{0} rows'],
    ]);
    assert.deepEqual(faults, []);
  });

  it('reports texts that bypass translation', async () => {
    const { faults } = await collect({
      'src/host/a.ts': `vscode.window.showInformationMessage(\`\${n} messages\`);\nconst item = { label: ok ? 'Fine' : '' };`,
      'src/host/b.ts': `channel.warn('This is for the log alone');\nconst told = 'This is for the user';`,
      'src/webview/c.tsx': `<b aria-label="Close">Done</b>`,
    });
    assert.deepEqual(faults, [
      'src/host/a.ts:1: “{} messages” isn’t translated',
      'src/host/a.ts:2: “Fine” isn’t translated',
      'src/host/b.ts:2: “This is for the user” isn’t translated',
      'src/webview/c.tsx:1: “Close” isn’t translated',
      'src/webview/c.tsx:1: “Done” isn’t translated',
    ]);
  });

  it('reports keys that are not literals, and placeholders without a value', async () => {
    const { faults } = await collect({
      'src/host/a.ts': `vscode.l10n.t(message);\nvscode.l10n.t('{0} of {1}', done);`,
      'src/webview/b.ts': `text(key);\ntext('Message {0}');`,
    });
    assert.deepEqual(faults, [
      'src/host/a.ts:1: the key of a text must be a literal',
      'src/host/a.ts:2: “{0} of {1}” has a different number of placeholders and values',
      'src/webview/b.ts:1: the key of a text must be a literal',
      'src/webview/b.ts:2: “Message {0}” has a different number of placeholders and values',
    ]);
  });

  it('reports counts without a singular form', () => {
    assert.deepEqual(checkPlurals(['{0} messages → {1}', '1 message → {1}', '{0} summaries', '1 summary']), []);
    assert.deepEqual(checkPlurals(['Show {0} key events', '1 key event', '{0} tokens saved']), [
      '“Show {0} key events”: no text contains “Show 1 key event”',
    ]);
  });

  it('reports missing, extra and damaged translations', () => {
    const english = {
      code: { 'Open {0}': 'Open {0}', Yes: 'Yes' },
      manifest: { a: 'See `off`. [Go](command:threadkeeper.openChat)' },
    };
    const translated = {
      code: { 'Open {0}': 'Öffnen', No: 'Nein' },
      manifest: { a: 'Siehe `aus`. [Los](command:threadkeeper.openChat)' },
    };
    assert.deepEqual(checkTranslations('de', english, translated), [
      'l10n/bundle.l10n.de.json: “Open {0}” must contain exactly {0}',
      'l10n/bundle.l10n.de.json lacks “Yes”',
      'l10n/bundle.l10n.de.json: “No” is unused',
      'package.nls.de.json: “a” must contain exactly `off`, (command:threadkeeper.openChat)',
    ]);
  });
});
