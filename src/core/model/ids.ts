type Branded<Name extends string> = string & { readonly brand: Name };

export type SessionId = Branded<'SessionId'>;
export type MessageId = Branded<'MessageId'>;
export type NodeId = Branded<'NodeId'>;
export type KeyEventId = Branded<'KeyEventId'>;
export type TaskId = Branded<'TaskId'>;
export type CompressionId = Branded<'CompressionId'>;

/** Each of these functions brands a string as an ID without validating it. Stored IDs are validated by schemas. */
export const sessionId = (text: string): SessionId => text as SessionId;
export const messageId = (text: string): MessageId => text as MessageId;
export const nodeId = (text: string): NodeId => text as NodeId;
export const keyEventId = (text: string): KeyEventId => text as KeyEventId;
export const taskId = (text: string): TaskId => text as TaskId;
export const compressionId = (text: string): CompressionId => text as CompressionId;
