import assert from 'node:assert/strict';
import { filePath, linkTarget } from '../../../src/webview/markdown/links.ts';

describe('links in messages', () => {
  it('open https and mailto addresses on the web', () => {
    const href = 'https://nodejs.org/api/?a=1#b';
    assert.deepEqual(linkTarget(href), { kind: 'web', href });
    assert.equal(linkTarget('mailto:a@b.example').kind, 'web');
    const report = 'https://a.example/issues/new?body=first%0Asecond';
    assert.deepEqual(linkTarget(report), { kind: 'web', href: report });
  });

  it('are refused with any other scheme, however it is written', () => {
    const refused = [
      ...['javascript:alert(1)', 'JaVaScRiPt:alert(1)', 'java\nscript:alert(1)', '\u0001javascript:alert(1)'],
      ...['java%0ascript:alert(1)', 'vbscript:x', 'data:text/html,<script>alert(1)</script>', 'file:///etc/passwd'],
      ...['command:workbench.action.quit', 'command%3Aworkbench.action.quit', 'vscode://x/y', 'vscode-insiders:x'],
      ...['blob:https://a/b', 'about:blank', 'view-source:https://a', 'ws://a', 'ftp://a/b', 'chrome://settings'],
      ...[
        '//evil.example/x',
        '\\\\evil\\share',
        '/\\evil/x',
        '%5Cevil%5Cx.ts',
        '#top',
        '?q=1',
        '',
        '%',
        'https://',
        'http:// a',
      ],
    ];
    for (const href of refused) assert.equal(linkTarget(href).kind, 'refused', JSON.stringify(href));
  });

  it('show the true host when it contains look-alike letters', () => {
    const target = linkTarget('https://gооgle.com/login');
    assert.equal(target.kind, 'web');
    assert.match(target.href, /^https:\/\/xn--/);
  });

  it('are refused when they contain hidden characters', () => {
    assert.equal(linkTarget('https://a.example/\u202egpj.exe').kind, 'refused');
    assert.equal(linkTarget('src/\u200ba.ts').kind, 'refused');
  });

  it('lead from a citation to the quoted message, and are refused for other threadkeeper: addresses', () => {
    const href = 'threadkeeper:message/01J_a-9';
    assert.deepEqual(linkTarget(href), { kind: 'message', href });
    const refused = [
      ...['threadkeeper:message/', 'threadkeeper:message/a/b', 'threadkeeper:message/a?b', 'threadkeeper:command/x'],
      ...['threadkeeper://message/a', 'threadkeeper:message/..%2Fa', `threadkeeper:message/${'a'.repeat(201)}`],
    ];
    for (const other of refused) assert.equal(linkTarget(other).kind, 'refused', other);
  });

  it('lead to files and lines in the workspace', () => {
    assert.deepEqual(linkTarget('src/a.ts:12'), { kind: 'file', path: 'src/a.ts', line: 12 });
    assert.deepEqual(linkTarget('src/a.ts:12:5'), { kind: 'file', path: 'src/a.ts', line: 12, column: 5 });
    assert.deepEqual(linkTarget('src/a.ts#L7-L9'), { kind: 'file', path: 'src/a.ts', line: 7 });
    assert.deepEqual(linkTarget('a.ts:3'), { kind: 'file', path: 'a.ts', line: 3 });
    assert.deepEqual(linkTarget('C:\\x\\a.ts:3'), { kind: 'file', path: 'C:\\x\\a.ts', line: 3 });
    assert.deepEqual(linkTarget('docs/a%20b.md'), { kind: 'refused' });
  });

  it('are refused when they are too long for the host', () => {
    assert.equal(linkTarget(`src/${'a'.repeat(993)}.ts`).kind, 'file');
    assert.equal(linkTarget(`src/${'a'.repeat(994)}.ts`).kind, 'refused');
    assert.equal(linkTarget(`${'src/'.repeat(300)}a.ts:12`).kind, 'refused');
  });

  it('are detected in inline code that names a file, but not in words with a dot', () => {
    assert.deepEqual(filePath('src/a.ts:12'), { kind: 'file', path: 'src/a.ts', line: 12 });
    assert.deepEqual(filePath('./scripts/Makefile'), { kind: 'file', path: './scripts/Makefile' });
    assert.deepEqual(filePath('C:\\x\\a.ts'), { kind: 'file', path: 'C:\\x\\a.ts' });
    for (const word of ['e.g', 'Node.js', 'a.b()', 'npm run build', 'https://a.example/x.ts', '1/2', 'and/or'])
      assert.equal(filePath(word), undefined, word);
  });

  it('are not detected in inline code that names a file on another computer', () => {
    for (const name of ['\\\\evil\\share\\a.ts:1', '//evil/share/a.ts', '/\\evil/share/a.ts', '\\evil\\share/a.ts'])
      assert.equal(filePath(name), undefined, name);
  });
});
