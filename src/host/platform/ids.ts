const ALWAYS = undefined;
const MENUS_ALONE = 'false';
const MESSAGES = 'threadkeeper.hasMessages';
const SUMMARIES = 'threadkeeper.hasSummaries';
const EVENTS = 'threadkeeper.hasEvents';
const FILES = 'resourceScheme == file';
const PLACE = 'config.threadkeeper.chat.location';
const IN_SIDE_BAR = `${PLACE} == sidebar`;
const DOCUMENTS = String.raw`resourceScheme == threadkeeper && resourcePath =~ /\/(node|brief|detailed|full|structured|source|message)\//`;

/** Every command by name, with the `when` under which the palette offers it. The manifest is held to it by a test. */
export const COMMANDS = {
  openChat: ALWAYS,
  newSession: ALWAYS,
  switchSession: ALWAYS,
  compressHistory: ALWAYS,
  undoCompression: ALWAYS,
  resetTask: ALWAYS,
  setTask: ALWAYS,
  chooseModel: ALWAYS,
  manageApiKeys: ALWAYS,
  importTranscript: ALWAYS,
  exportSession: ALWAYS,
  openSampleSession: ALWAYS,
  recall: ALWAYS,
  showActions: MENUS_ALONE,
  openLog: ALWAYS,
  openSettings: ALWAYS,
  undoNode: SUMMARIES,
  pinEvent: EVENTS,
  unpinEvent: 'threadkeeper.hasPinned',
  removeEvent: EVENTS,
  takeOver: 'threadkeeper.isWrittenElsewhere',
  askAboutSelection: `editorHasSelection && ${FILES}`,
  explainProblem: `activeEditor == workbench.editors.files.textFileEditor && ${FILES}`,
  attachFile: FILES,
  nextSession: MENUS_ALONE,
  previousSession: MENUS_ALONE,
  moveToNewWindow: `activeWebviewPanelId == threadkeeper.chat || ${IN_SIDE_BAR}`,
  moveToSidebar: `${PLACE} != sidebar`,
  moveToEditor: IN_SIDE_BAR,
  choosePolicy: ALWAYS,
  searchSessions: ALWAYS,
  openOtherSession: ALWAYS,
  reattachSessions: ALWAYS,
  cleanUp: ALWAYS,
  checkHealth: ALWAYS,
  rememberEvent: MENUS_ALONE,
  rememberEvents: ALWAYS,
  addMemory: ALWAYS,
  editMemory: MENUS_ALONE,
  forgetMemory: MENUS_ALONE,
  exportMemory: ALWAYS,
  editSummary: SUMMARIES,
  readSummary: SUMMARIES,
  compareSummary: SUMMARIES,
  checkSummary: SUMMARIES,
  resummarize: SUMMARIES,
  expandForTurn: SUMMARIES,
  closeNode: 'threadkeeper.hasOpened',
  undoSince: MENUS_ALONE,
  redoCompression: 'threadkeeper.hasUndone',
  undoChange: 'threadkeeper.canUndoChange',
  redoChange: 'threadkeeper.canRedoChange',
  correctEvent: EVENTS,
  whyForgotten: MESSAGES,
  previewNext: MESSAGES,
  dryRun: MESSAGES,
  showCompressions: 'threadkeeper.hasCompressions',
  showChart: MESSAGES,
  saveChart: MESSAGES,
  showInChat: DOCUMENTS,
  showInTree: DOCUMENTS,
  openAsText: 'activeWebviewPanelId == threadkeeper.reader',
  acceptChange: MENUS_ALONE,
  rejectChange: MENUS_ALONE,
  acceptAllChanges: MENUS_ALONE,
  rejectAllChanges: MENUS_ALONE,
  filterSummaries: MESSAGES,
  clearFilter: 'threadkeeper.summariesFiltered',
  findChats: ALWAYS,
  forgetChats: ALWAYS,
  copyDropped: MENUS_ALONE,
  restoreDropped: MENUS_ALONE,
  searchChats: ALWAYS,
  chatsAboutFile: MENUS_ALONE,
  openKeptChat: MENUS_ALONE,
  continueHere: MENUS_ALONE,
} as const;
export type CommandName = keyof typeof COMMANDS;
export type CommandId = `threadkeeper.${CommandName}`;

const named = <K extends string>(name: K): `threadkeeper.${K}` => `threadkeeper.${name}`;
/** The id of each command. */
export const COMMAND = Object.fromEntries(Object.keys(COMMANDS).map((name) => [name, named(name)])) as Readonly<{
  [K in CommandName]: `threadkeeper.${K}`;
}>;

export const CHAT_PANEL = 'threadkeeper.chat';
/** The chat as a view in the sidebar. */
export const CHAT_VIEW = 'threadkeeper.chatView';
/** A document of the session, rendered. */
export const READER_PANEL = 'threadkeeper.reader';
export const CHART_PANEL = 'threadkeeper.chart';
export const SUMMARIES_VIEW = 'threadkeeper.summaries';
export const MEMORY_VIEW = 'threadkeeper.memory';
export const CHATS_VIEW = 'threadkeeper.allChats';
/** The participant of the editor's own chat, and the tools that its models may use. */
export const PARTICIPANT = 'threadkeeper.memory';
export const RECALL_TOOL = 'threadkeeper_recall';
export const DECISIONS_TOOL = 'threadkeeper_decisions';
export const GAUGE_ITEM = 'threadkeeper.gauge';
/** The scheme of what a reply proposes for a file. */
export const SUGGESTION_SCHEME = 'threadkeeper-suggestion';
/** In the workspace's state: whether it has a session that the gauge could show. */
export const USED_KEY = 'threadkeeper.isUsed';
/** The scheme of a session's documents: summaries, sources, previews. */
export const DOCUMENT_SCHEME = 'threadkeeper';
