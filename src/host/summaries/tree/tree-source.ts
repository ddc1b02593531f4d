import type { GaugeView } from '../../../protocol/views.ts';
import type { SessionState } from '../../../core/state/session-state.ts';
import type { EventIndex } from './event-index.ts';

/** What the rows are made of. Events and gauge are asked for when a row needs them. */
export interface TreeSource {
  readonly state: SessionState;
  readonly events: () => EventIndex;
  readonly gauge: () => GaugeView;
}
