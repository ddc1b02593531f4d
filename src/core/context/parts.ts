/** Tokens of each part of a request, as the gauge shows them. */
export interface ContextTokens {
  readonly system: number;
  readonly rules: number;
  readonly memory: number;
  readonly ledger: number;
  readonly summaries: number;
  readonly window: number;
  readonly task: number;
  readonly attachments: number;
  readonly recalled: number;
}

/** What a block of the system prompt holds. */
export type SystemPart = 'system' | 'rules' | 'memory' | 'ledger' | 'summaries';
