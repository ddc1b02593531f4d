import type { KeyEvent, KeyEventKind } from '../../../core/model/key-event.ts';
import type { GaugePart } from '../../../core/budget/gauge.ts';
import type { CompressionId, MessageId, NodeId } from '../../../core/model/ids.ts';
import type { StepStatus } from '../../../core/model/task.ts';
import type { Standing } from './event-index.ts';

export const SECTIONS = ['context', 'summaries', 'events', 'said', 'tasks', 'compressions'] as const;
export type SectionName = (typeof SECTIONS)[number];
/** What the summaries hold, list by list. */
export const SAID_LISTS = ['topics', 'decisions', 'preferences', 'files'] as const;
export type SaidList = (typeof SAID_LISTS)[number];

/** A row with key events below it. */
export type EventListRow =
  { readonly kind: 'eventKind'; readonly of: KeyEventKind } | { readonly kind: 'nodeEvents'; readonly node: NodeId };

/** A row that stands for something of the session. It names what it shows; children are worked out when it is opened. */
export type PlainRow =
  | { readonly kind: 'section'; readonly section: SectionName }
  /** Stands above what a filter leaves; the view knows which rows these are. */
  | { readonly kind: 'filter'; readonly name: string }
  | { readonly kind: 'part'; readonly name: GaugePart | 'reply'; readonly tokens: number }
  | { readonly kind: 'node'; readonly node: NodeId }
  /** Summaries that the user has opened: their messages are sent in their place. */
  | { readonly kind: 'opened' }
  | { readonly kind: 'openedNode'; readonly node: NodeId }
  | { readonly kind: 'message'; readonly message: MessageId }
  | EventListRow
  /** `under` is the row above: an event stands below its kind and below its summary, and ids must differ. */
  | { readonly kind: 'event'; readonly event: KeyEvent; readonly standing: Standing; readonly under: EventListRow }
  | { readonly kind: 'saidList'; readonly list: SaidList }
  | {
      readonly kind: 'saidEntry';
      readonly list: SaidList;
      readonly at: number;
      readonly text: string;
      readonly node: NodeId;
    }
  | { readonly kind: 'task'; readonly at: number }
  | {
      readonly kind: 'step';
      readonly task: number;
      readonly at: number;
      readonly text: string;
      readonly status: StepStatus;
    }
  /** `at` counts from the first compression. */
  | { readonly kind: 'compression'; readonly compression: CompressionId; readonly at: number };

/**
 * A run of what stands below a row, where that is too much to be shown at once; `end` is behind the last. It stands below
 * that row itself, or below a wider range: known with it, so that the way up is not looked for.
 */
export interface RangeRow {
  readonly kind: 'range';
  readonly of: PlainRow;
  readonly above: Row;
  readonly from: number;
  readonly end: number;
}

export type Row = PlainRow | RangeRow;

/** The same row has the same id whenever it is made, so that the editor keeps what is open and selected. */
export function rowId(row: Row): string {
  switch (row.kind) {
    case 'section':
      return `section/${row.section}`;
    case 'filter':
      return `filter/${row.name}`;
    case 'part':
      return `part/${row.name}`;
    case 'node':
      return `node/${row.node}`;
    case 'opened':
      return 'opened';
    case 'openedNode':
      return `opened/${row.node}`;
    case 'nodeEvents':
      return `events/${row.node}`;
    case 'message':
      return `message/${row.message}`;
    case 'eventKind':
      return `events/${row.of}`;
    case 'range':
      return `${rowId(row.of)}/${row.from}-${row.end}`;
    case 'event':
      return `event/${rowId(row.under)}/${row.event.id}`;
    case 'saidList':
      return `said/${row.list}`;
    case 'saidEntry':
      return `said/${row.list}/${row.at}`;
    case 'task':
      return `task/${row.at}`;
    case 'step':
      return `task/${row.task}/${row.at}`;
    case 'compression':
      return `compression/${row.compression}`;
  }
}

/** Whether a command was given a row of the view, as menus of the view do. */
export function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && 'kind' in value;
}
