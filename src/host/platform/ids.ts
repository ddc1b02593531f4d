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
