/** Every id that the manifest contributes. A test holds the two together. */
export const COMMAND = {
  openChat: 'threadkeeper.openChat',
  newSession: 'threadkeeper.newSession',
  switchSession: 'threadkeeper.switchSession',
  compressHistory: 'threadkeeper.compressHistory',
  undoCompression: 'threadkeeper.undoCompression',
  resetTask: 'threadkeeper.resetTask',
  setTask: 'threadkeeper.setTask',
  chooseModel: 'threadkeeper.chooseModel',
  setApiKey: 'threadkeeper.setApiKey',
  clearApiKey: 'threadkeeper.clearApiKey',
  testApiKey: 'threadkeeper.testApiKey',
  importTranscript: 'threadkeeper.importTranscript',
  exportSession: 'threadkeeper.exportSession',
  openSampleSession: 'threadkeeper.openSampleSession',
  recall: 'threadkeeper.recall',
  showActions: 'threadkeeper.showActions',
  openLog: 'threadkeeper.openLog',
  openSettings: 'threadkeeper.openSettings',
  refreshSummaries: 'threadkeeper.refreshSummaries',
  undoNode: 'threadkeeper.undoNode',
  pinEvent: 'threadkeeper.pinEvent',
  unpinEvent: 'threadkeeper.unpinEvent',
  removeEvent: 'threadkeeper.removeEvent',
  takeOver: 'threadkeeper.takeOver',
  askAboutSelection: 'threadkeeper.askAboutSelection',
  explainProblem: 'threadkeeper.explainProblem',
  attachFile: 'threadkeeper.attachFile',
  nextSession: 'threadkeeper.nextSession',
  previousSession: 'threadkeeper.previousSession',
  moveToNewWindow: 'threadkeeper.moveToNewWindow',
  moveToSidebar: 'threadkeeper.moveToSidebar',
  moveToEditor: 'threadkeeper.moveToEditor',
  choosePolicy: 'threadkeeper.choosePolicy',
  searchSessions: 'threadkeeper.searchSessions',
  openOtherSession: 'threadkeeper.openOtherSession',
  reattachSessions: 'threadkeeper.reattachSessions',
  cleanUp: 'threadkeeper.cleanUp',
  checkHealth: 'threadkeeper.checkHealth',
  rememberEvent: 'threadkeeper.rememberEvent',
  addMemory: 'threadkeeper.addMemory',
  editMemory: 'threadkeeper.editMemory',
  forgetMemory: 'threadkeeper.forgetMemory',
  exportMemory: 'threadkeeper.exportMemory',
  editSummary: 'threadkeeper.editSummary',
  readSummary: 'threadkeeper.readSummary',
  compareSummary: 'threadkeeper.compareSummary',
  checkSummary: 'threadkeeper.checkSummary',
  resummarize: 'threadkeeper.resummarize',
  expandForTurn: 'threadkeeper.expandForTurn',
  closeNode: 'threadkeeper.closeNode',
  undoSince: 'threadkeeper.undoSince',
  redoCompression: 'threadkeeper.redoCompression',
  undoChange: 'threadkeeper.undoChange',
  redoChange: 'threadkeeper.redoChange',
  correctEvent: 'threadkeeper.correctEvent',
  whyForgotten: 'threadkeeper.whyForgotten',
  previewNext: 'threadkeeper.previewNext',
  dryRun: 'threadkeeper.dryRun',
  showCompressions: 'threadkeeper.showCompressions',
  showChart: 'threadkeeper.showChart',
  saveChart: 'threadkeeper.saveChart',
  showInChat: 'threadkeeper.showInChat',
  showInTree: 'threadkeeper.showInTree',
  filterSummaries: 'threadkeeper.filterSummaries',
  clearFilter: 'threadkeeper.clearFilter',
} as const;
export type CommandId = (typeof COMMAND)[keyof typeof COMMAND];

export const CHAT_PANEL = 'threadkeeper.chat';
/** The chat as a view in the sidebar. */
export const CHAT_VIEW = 'threadkeeper.chatView';
export const CHART_PANEL = 'threadkeeper.chart';
export const SUMMARIES_VIEW = 'threadkeeper.summaries';
export const MEMORY_VIEW = 'threadkeeper.memory';
/** The participant of the editor's own chat, and the tools that its models may use. */
export const PARTICIPANT = 'threadkeeper.memory';
export const RECALL_TOOL = 'threadkeeper_recall';
export const DECISIONS_TOOL = 'threadkeeper_decisions';
export const GAUGE_ITEM = 'threadkeeper.gauge';
/** The scheme of a session's documents: summaries, sources, previews. */
export const DOCUMENT_SCHEME = 'threadkeeper';
