import type { GaugePart } from '../core/budget/gauge.ts';
import type { KeyEventKind } from '../core/model/key-event.ts';
import { phrase, type Phrase } from '../core/text/phrase.ts';

/** The names of messages' roles, and of the role `summary` of search results. */
export const ROLE_NAMES: Readonly<Record<string, Phrase>> = {
  user: phrase('You'),
  assistant: phrase('Assistant'),
  system: phrase('System'),
  tool: phrase('Tool'),
  summary: phrase('summary'),
};

export const KIND_NAMES: Readonly<Record<KeyEventKind, Phrase>> = {
  decision: phrase('Decision'),
  error: phrase('Error'),
  preference: phrase('Preference'),
  constraint: phrase('Constraint'),
  configuration: phrase('Configuration'),
  fact: phrase('Fact'),
  todo: phrase('To-do'),
  outcome: phrase('Outcome'),
};

export const PART_NAMES: Readonly<Record<GaugePart, Phrase>> = {
  system: phrase('System prompt'),
  rules: phrase('Project instructions'),
  memory: phrase('Memory'),
  ledger: phrase('Key events'),
  summaries: phrase('Summaries'),
  recent: phrase('Recent messages'),
  task: phrase('Task'),
  attachments: phrase('Attachments'),
  recalled: phrase('Recalled excerpts'),
};
