import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pageHtml } from '../../../src/host/platform/page-html.ts';
import { SETTING_NAMES } from '../../../src/host/platform/settings-schema.ts';

const root = path.join(import.meta.dirname, '../../..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
const sources = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => `src/${name.split(path.sep).join('/')}`);

const filesWith = (pattern: RegExp): string[] => sources.filter((file) => pattern.test(read(file))).sort();

describe('content from a model or repository', () => {
  it('cannot run programs or code, because nothing in the product can', () => {
    assert.deepEqual(
      filesWith(/child_process|node:vm\b|\beval\(|new Function\(|createTerminal|\.sendText\(|vscode\.tasks\b/),
      [],
    );
  });

  it('cannot choose a command: each is a literal or comes from the product’s own list', () => {
    for (const file of sources) {
      for (const [, argument = ''] of read(file).matchAll(/executeCommand\(\s*([^,)]+)/g))
        assert.match(argument, /^('[\w.]+'|picked\.command)$/, `${file}: ${argument}`);
    }
    assert.match(read('src/host/commands.ts'), /command: 'threadkeeper\.\w+'/);
  });

  it('cannot write settings: only user actions do (base URL, context window, chat location, tools, renaming)', () => {
    assert.deepEqual(filesWith(/onfiguration(\([^)]*\))?\s*\.update\(/), ['src/host/platform/settings.ts']);
    const files = filesWith(/updateSetting\(/);
    assert.deepEqual(files, [
      'src/host/chat/chat-commands.ts',
      'src/host/external-chats/external-chat-commands.ts',
      'src/host/models/model-notices.ts',
      'src/host/models/model-picker.ts',
      'src/host/platform/settings.ts',
    ]);
    const calls = files.flatMap((file) => [...read(file).matchAll(/(?:await|=>) updateSetting\('([^']+)'/g)]);
    const written = [...new Set(calls.map(([, name]) => name!))].sort();
    assert.deepEqual(written, ['chat.baseUrl', 'chat.location', 'chat.provider', 'models.overrides', 'sources.tools']);
    // VS Code refuses to write a setting that isn't in the manifest.
    for (const name of written) assert.ok(SETTING_NAMES.includes(name), name);
  });

  it('cannot open connections: only one module, for requests to model servers, uses the network', () => {
    assert.deepEqual(filesWith(/node:(http|https|net|tls|dgram)'|\bfetch\(|XMLHttpRequest|WebSocket|sendBeacon/), [
      'src/providers/http.ts',
    ]);
  });

  it('cannot read files: only user actions do, such as attaching, importing, or opening a file', () => {
    assert.deepEqual(filesWith(/workspace\.fs\.readFile\(|workspace\.openTextDocument\(|workspace\.findFiles\(/), [
      // The problem that the user asks about.
      'src/host/chat/chat-commands.ts',
      // File names, for suggestions after #.
      'src/host/chat/context-items.ts',
      // A code block that the user opens as a file, and attachments.
      'src/host/chat/page-requests.ts',
      'src/host/chat/read-context.ts',
      // Files to which the user applies a suggestion, and their list.
      'src/host/edits/apply-edits.ts',
      'src/host/edits/edit-reviews.ts',
      // Imported transcripts, the product's own documents, and its report.
      'src/host/import-export/transcript-batches.ts',
      // The instructions of a trusted workspace, which are sent once the user agrees.
      'src/host/rules/project-rules.ts',
      'src/host/summaries/document-panel.ts',
      'src/host/summaries/document-uris.ts',
    ]);
  });

  it('cannot change files: only edits that the user accepts and saving to a chosen place do', () => {
    assert.deepEqual(filesWith(/workspace\.applyEdit\(|workspace\.fs\.(?:writeFile|delete|rename)\(|\bsaveFile\(/), [
      'src/host/edits/edit-reviews.ts',
      // Where the user saves a chart, a session, or the memory.
      'src/host/gauge/chart-panel.ts',
      'src/host/import-export/export-session.ts',
      'src/host/memory/memory-commands.ts',
      'src/host/platform/save-file.ts',
    ]);
  });

  it('cannot send API keys: they are read only where models are created', () =>
    assert.deepEqual(filesWith(/\bsecrets\.get\(|#secrets\.get\(/), ['src/host/models/keys.ts']));

  it('cannot use settings of an untrusted workspace, except for the chat location and the send key', () => {
    const manifest = JSON.parse(read('package.json'));
    const restricted: string[] = manifest.capabilities.untrustedWorkspaces.restrictedConfigurations;
    const all: string[] = manifest.contributes.configuration.flatMap((group: { properties: object }) =>
      Object.keys(group.properties),
    );
    // All settings that affect what is sent or stored: all except where the chat opens and which key sends.
    const harmless = ['threadkeeper.chat.location', 'threadkeeper.chat.enterSends'];
    const others = all.filter((name) => !restricted.includes(name));
    assert.deepEqual(others, harmless);
    for (const name of restricted) assert.ok(all.includes(name), name);
  });
});

describe('the webview page', () => {
  const frame = (more: object = {}): string =>
    pageHtml({
      nonce: 'bm9uY2U=',
      cspSource: 'https://webview.test',
      language: 'de',
      translations: {},
      uri: (file) => `https://webview.test/${file}`,
      ...more,
    });

  it('can load only its own files, run only its own bundle, and send nothing', () => {
    const csp = /Content-Security-Policy" content="([^"]+)"/.exec(frame())?.[1] ?? '';
    assert.match(csp, /^default-src 'none'; script-src 'nonce-bm9uY2U='; /);
    assert.doesNotMatch(csp, /unsafe|connect-src|frame-src|form-action \*|\*|https?:(?!\/\/webview\.test)/);
  });

  it('keeps a script tag in a translation inert, and reads the translation back unchanged', () => {
    const translations = { Send: '</script><script>alert(1)</script>' };
    const html = frame({ translations });
    assert.equal(html.match(/<script/g)?.length, 2);
    const data = /id="translations">(.*?)<\/script>/s.exec(html)?.[1] ?? '';
    assert.deepEqual(JSON.parse(data), translations);
  });

  it('uses the text direction of its language', () => {
    assert.match(frame(), /<html lang="de" dir="ltr">/);
    assert.match(frame({ language: 'ar' }), /<html lang="ar" dir="rtl">/);
  });
});
