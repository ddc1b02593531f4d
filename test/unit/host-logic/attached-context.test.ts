import assert from 'node:assert/strict';
import type * as ContextItemsModule from '../../../src/host/chat/context-items.ts';
import type * as ImplicitContextModule from '../../../src/host/chat/implicit-context.ts';
import type * as LastEditorModule from '../../../src/host/chat/last-editor.ts';
import type * as ReadContextModule from '../../../src/host/chat/read-context.ts';
import type * as PageRequestsModule from '../../../src/host/chat/page-requests.ts';
import { defaultSettings, hostIn, nothing } from '../../support/fake-editor.ts';

class Position {
  readonly line: number;
  readonly character: number;
  constructor(line: number, character: number) {
    if (line < 0 || character < 0) throw new Error('illegal argument');
    this.line = line;
    this.character = character;
  }
}
class Range {
  readonly start: Position;
  readonly end: Position;
  constructor(...[fromLine, from, toLine, to]: [number, number, number, number]) {
    this.start = new Position(fromLine, from);
    this.end = new Position(toLine, to);
  }
}
const uriOf = (path: string) => ({ path, fsPath: path, scheme: 'vscode-vfs', toString: () => `file://${path}` });
const editorOf = (path: string) => ({ document: { uri: uriOf(path) }, selection: { isEmpty: true } });

/** A document that fails like VS Code's for lines that don't exist. */
function documentOf(lines: readonly string[]) {
  const lineAt = (line: number): { text: string } => {
    const text = lines[line];
    if (text === undefined) throw new Error('Illegal value for `line`');
    return { text };
  };
  const inside = ({ line, character }: Position): Position => {
    const last = lines.length - 1;
    return line > last
      ? new Position(last, lines[last]!.length)
      : new Position(line, Math.min(character, lines[line]!.length));
  };
  const validateRange = ({ start, end }: Range): Range => {
    const [from, to] = [inside(start), inside(end)];
    return new Range(from.line, from.character, to.line, to.character);
  };
  const getText = ({ start, end }: Range): string => lines.slice(start.line, end.line + 1).join('\n');
  return { uri: uriOf('/w/a.ts'), lineCount: lines.length, lineAt, validateRange, getText };
}

const window = {
  activeTerminal: undefined,
  tabGroups: { all: [] as object[] },
  activeTextEditor: undefined as ReturnType<typeof editorOf> | undefined,
  visibleTextEditors: [] as readonly ReturnType<typeof editorOf>[],
  onDidChangeActiveTextEditor: () => nothing,
  onDidChangeTextEditorSelection: () => nothing,
};
let document: unknown;
const settings = defaultSettings();
let onFolder = (): void => undefined;
const FILES = [uriOf('/w/a.ts'), uriOf('/w/[slug].ts')];
let found = FILES;
class TabInputText {
  readonly uri: ReturnType<typeof uriOf>;
  constructor(path: string) {
    this.uri = uriOf(path);
  }
}
class TabInputTextDiff {
  readonly original = uriOf('/w/other.ts');
  readonly modified: ReturnType<typeof uriOf>;
  constructor(path: string) {
    this.modified = uriOf(path);
  }
}
class FileSystemError extends Error {}
const fs = {
  stat: (): Promise<object> => Promise.reject(new FileSystemError('FileNotFound')),
  readFile: () => assert.fail('It was read.'),
};
const load = hostIn({
  FileSystemError,
  FileType: { File: 1, Directory: 2 },
  window,
  Range,
  TabInputText,
  TabInputTextDiff,
  languages: { getDiagnostics: () => [] },
  extensions: { getExtension: () => undefined },
  commands: { executeCommand: () => Promise.resolve([]) },
  workspace: {
    fs,
    findFiles: () => Promise.resolve(found),
    openTextDocument: () => Promise.resolve(document),
    workspaceFolders: [{ name: 'w', uri: uriOf('/w') }],
    getConfiguration: () => ({ get: (section: string) => settings[section] }),
    getWorkspaceFolder: () => {
      onFolder();
      return { uri: uriOf('/w') };
    },
    isTrusted: true,
    asRelativePath: ({ path }: { readonly path: string }) => path.slice(3),
  },
  Uri: { joinPath: ({ path }: { readonly path: string }, name: string) => uriOf(`${path}/${name}`) },
});
const { ImplicitContext } = await load<typeof ImplicitContextModule>('chat/implicit-context.ts');
const { readContext } = await load<typeof ReadContextModule>('chat/read-context.ts');
const { LastEditor } = await load<typeof LastEditorModule>('chat/last-editor.ts');
const { contextItems } = await load<typeof ContextItemsModule>('chat/context-items.ts');
const { pageRequests } = await load<typeof PageRequestsModule>('chat/page-requests.ts');

describe('the file that was active before the chat', () => {
  const [left, right] = [editorOf('/w/left.ts'), editorOf('/w/right.ts')];

  it('stays the same while another file is visible, too', () => {
    window.visibleTextEditors = [left, right];
    window.activeTextEditor = right;
    const last = new LastEditor();
    // The chat gets the focus.
    window.activeTextEditor = undefined;
    assert.equal(last.current?.document, right.document);
  });

  it('is the visible one if its own tab was replaced', () => {
    window.visibleTextEditors = [right];
    window.activeTextEditor = right;
    const last = new LastEditor();
    window.visibleTextEditors = [left];
    window.activeTextEditor = undefined;
    assert.equal(last.current?.document, left.document);
  });

  it('is none once its last tab is closed, even if VS Code keeps the document', () => {
    window.visibleTextEditors = [right];
    window.activeTextEditor = right;
    const last = new LastEditor();
    for (const input of [new TabInputText('/w/right.ts'), new TabInputTextDiff('/w/right.ts')]) {
      // The chat hides it.
      window.visibleTextEditors = [];
      window.activeTextEditor = undefined;
      window.tabGroups.all = [{ tabs: [{ input }] }];
      assert.equal(last.current?.document, right.document);
    }
    window.tabGroups.all = [];
    assert.equal(last.current, undefined);
  });
});

describe('an attached symbol', () => {
  it('is attached up to the end of a file that has become shorter', async () => {
    document = documentOf(['function a() {', '  return 1;', '}']);
    const what = { kind: 'symbol', path: 'a.ts', lines: [2, 9] } as const;
    const [attachment] = await readContext(what as never, {} as never);
    assert.ok(attachment && attachment.kind !== 'image');
    assert.deepEqual([attachment.text, attachment.lines], ['  return 1;\n}', [2, 3]]);
  });
});

describe('the automatic attachment', () => {
  let set: unknown[];
  let implicit: InstanceType<typeof ImplicitContext>;
  beforeEach(() => {
    set = [];
    implicit = new ImplicitContext({
      attachments: {
        ...{ room: () => 1_000, tokens: () => 1, explicitAttachments: () => [], views: () => [] },
        setImplicit: (_target: unknown, file: unknown) => set.push(file) === 0,
      },
      editor: { current: { document: { uri: uriOf('/w/a.ts'), lineCount: 1, getText: () => 'const a = 1;' } } },
      sessions: { current: { journal: { id: 's', state: { uncompressed: () => [] } }, queue: { items: [] } } },
      chosenModel: () => ({ provider: 'openai' }),
      describe: (error: unknown) => assert.fail(String(error)),
    } as never);
  });
  afterEach(() => (onFolder = () => undefined));

  it('stays removed if the user removes it while it is being updated', async () => {
    await implicit.refresh();
    onFolder = () => implicit.decline('s');
    await implicit.refresh();
    const isSet = set.map((file) => file !== undefined);
    assert.deepEqual(isSet, [true, false]);
  });

  it('is updated once more, not for each call, when many tabs are closed during an update', async () => {
    let last: Promise<void> | undefined;
    onFolder = () => {
      onFolder = () => undefined;
      for (let tabs = 0; tabs < 50; tabs++) last = implicit.refresh();
    };
    await implicit.refresh();
    await last;
    assert.equal(set.length, 2);
  });
});

describe('open editors', () => {
  after(() => (window.tabGroups.all = []));

  it('are attached even if the file of one was deleted', async () => {
    window.tabGroups.all = [{ tabs: [{ input: new TabInputText('/w/gone.ts') }] }];
    document = { uri: uriOf('/w/gone.ts'), lineCount: 1, getText: () => 'const kept = 1;' };
    const [attachment] = await readContext({ kind: 'openEditors' }, {} as never);
    assert.ok(attachment && attachment.kind !== 'image');
    assert.equal(attachment.text, 'const kept = 1;');
  });
});

describe('a folder', () => {
  it('isn’t attached if it has a huge file, which isn’t even read', async () => {
    const { stat } = fs;
    fs.stat = () => Promise.resolve({ type: 2, size: 5e9 });
    await assert.rejects(readContext({ kind: 'folder', path: 'data' }, {} as never), /larger than 1 MB/);
    fs.stat = stat;
  });
});

describe('files to attach', () => {
  beforeEach(() => {
    found = FILES;
    window.tabGroups.all = [];
  });

  for (const query of ['[slug', '!'])
    it(`have names with “${query}”, even if that is a wildcard`, async () => {
      const items = await contextItems(query, { current: undefined } as never, []);
      const expected = query === '!' ? [] : ['[slug].ts'];
      const labels = items.map(({ label }) => label);
      assert.deepEqual(labels, expected);
    });

  it('are suggested before a letter is typed: a limited number, open ones first', async () => {
    const labels = async () => (await contextItems('', { current: undefined } as never, [])).map(({ label }) => label);
    assert.deepEqual(await labels(), ['a.ts', '[slug].ts']);
    found = Array.from({ length: 200 }, (_, n) => uriOf(`/w/src/part-${n}.ts`));
    window.tabGroups.all = [{ tabs: [{ input: new TabInputText('/w/src/deep/inside/open.ts') }] }];
    const many = await labels();
    assert.deepEqual([many[0], many.length], ['open.ts', 20]);
  });

  it('have their path behind the name, unless it is the same', async () => {
    found = [uriOf('/w/a.ts'), uriOf('/w/src/b.ts')];
    const items = await contextItems('', { current: undefined } as never, []);
    const details = items.map(({ label, detail }) => [label, detail]);
    assert.deepEqual(details, [
      ['a.ts', ''],
      ['b.ts', 'src/b.ts'],
    ]);
  });
});

describe('inserting code from a response', () => {
  it('fails visibly if the file can’t be changed', async () => {
    const editor = { show: () => Promise.resolve({ edit: () => Promise.resolve(false) }) };
    const { codeAction } = pageRequests({ editor } as never);
    await assert.rejects(
      codeAction({ type: 'codeAction', action: 'insert', text: 'let a;' }),
      /Couldn’t change the file/,
    );
  });
});
