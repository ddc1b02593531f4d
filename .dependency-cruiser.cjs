// The layers of docs/architecture.md as rules. test/unit/layers.test.ts tests that each forbidden import is found.
const only = (name, from, allowed, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: `^src/${from}/` },
  to: { path: '^src/', pathNot: `^src/(${[from, ...allowed].join('|')})/|^src/text-files` },
});

/** Folders that import each other today. This list only shrinks. */
const KNOWN_FOLDER_CYCLES = ['core/(audit|compress|policy)', 'webview/(list|parts)'];

module.exports = {
  forbidden: [
    { name: 'no-circles', severity: 'error', from: { path: '^src/' }, to: { circular: true } },
    {
      name: 'no-folder-cycles',
      comment: 'two folders that import each other are one folder, or a part of one belongs into the other',
      severity: 'error',
      scope: 'folder',
      from: { path: '^src/', pathNot: `^src/(${KNOWN_FOLDER_CYCLES.join('|')})$` },
      to: { circular: true },
    },
    only('core-is-innermost', 'core', [], 'core imports nothing of the project'),
    only('app-uses-core', 'app', ['core'], 'use cases know core and their own ports'),
    only('providers-are-adapters', 'providers', ['core', 'app'], 'adapters behind ports'),
    only('storage-is-an-adapter', 'storage', ['core', 'app'], 'adapters behind ports'),
    only('sources-are-adapters', 'sources', ['core', 'app'], 'adapters behind ports'),
    only('protocol-is-shared', 'protocol', ['core'], 'types of core alone'),
    only('cli-is-a-root', 'cli', ['core', 'app', 'providers', 'storage', 'sources', 'mcp'], 'a composition root'),
    only('mcp-is-a-root', 'mcp', ['core', 'app', 'storage', 'sources'], 'a composition root'),
    only('host-is-a-root', 'host', ['core', 'app', 'providers', 'storage', 'protocol'], 'a composition root'),
    only('worker-is-a-root', 'worker', ['core', 'app', 'storage', 'sources'], 'a composition root'),
    only('webview-is-a-page', 'webview', ['protocol', 'core'], 'the page sees the protocol and types of core'),
    {
      name: 'webview-takes-only-types-of-core',
      severity: 'error',
      from: { path: '^src/webview/' },
      to: { path: '^src/core/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'core-and-protocol-are-pure',
      severity: 'error',
      from: { path: '^src/(core|protocol)/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'core-has-no-sdk',
      severity: 'error',
      from: { path: '^src/(core|app|protocol)/' },
      to: { path: '(^vscode$|node_modules/(openai|@anthropic-ai|vscode)/)' },
    },
    {
      name: 'only-host-knows-vscode',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/host/' },
      to: { path: '^vscode$' },
    },
    {
      name: 'sdks-stay-in-providers',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/providers/' },
      to: { path: 'node_modules/(openai|@anthropic-ai)/' },
    },
    {
      name: 'protocol-library-stays-in-mcp',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/mcp/' },
      to: { path: '(^|node_modules/)@modelcontextprotocol/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { extensions: ['.ts', '.tsx', '.js', '.json', '.md'], exportsFields: ['exports'] },
  },
};
