export const CHAT_PANEL = 'threadkeeper.chat';
/** The chat as a view in the Side Bar. */
export const CHAT_VIEW = 'threadkeeper.chatView';
/** A rendered document of a session. */
export const DOCUMENT_PANEL = 'threadkeeper.reader';
export const CHART_PANEL = 'threadkeeper.chart';
export const CONTEXT_VIEW = 'threadkeeper.summaries';
export const MEMORY_VIEW = 'threadkeeper.memory';
export const EXTERNAL_CHATS_VIEW = 'threadkeeper.allChats';
/** The participant in VS Code's chat. */
export const PARTICIPANT = 'threadkeeper.memory';
/** Tools for the models in VS Code's chat. */
export const RECALL_TOOL = 'threadkeeper_recall';
export const DECISIONS_TOOL = 'threadkeeper_decisions';
export const GAUGE_ITEM = 'threadkeeper.gauge';
/** The URI scheme of proposed changes to a file. */
export const SUGGESTION_SCHEME = 'threadkeeper-suggestion';
/** Key in the workspace state: whether there is a session that the gauge can show. */
export const USED_KEY = 'threadkeeper.isUsed';
/** The URI scheme of a session's documents: summaries, sources, previews. */
export const DOCUMENT_SCHEME = 'threadkeeper';
