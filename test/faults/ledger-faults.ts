import { LIVES, planted, type Catcher } from './planted-fault.ts';

const DETECTED: Catcher = {
  spec: 'test/property/events/events.test.ts',
  title: 'are exact slices of it, in order, apart from each other, with a score and a reason',
};
const FITTED: Catcher = {
  spec: 'test/property/events/events.test.ts',
  title: 'fits its budget unless pinned entries alone exceed it, and loses none on the way',
};
const LEAVING: Catcher = {
  spec: 'test/property/events/ledger-budget.test.ts',
  title: 'loses duplicates first, then what was superseded, before any that is active',
};

/** Key events: word for word, in every context, within their budget. */
export const LEDGER_FAULTS = [
  ...planted(
    'active-events',
    LIVES,
    {
      what: 'key events of the first message are not sent',
      file: 'src/core/context/ledger-lines.ts',
      find: 'if (position === undefined || !covered(position) || state.isRemoved(event.id)) continue;',
      put: 'if (!position || !covered(position) || state.isRemoved(event.id)) continue;',
    },
    {
      what: 'a long quote is cut in the ledger',
      file: 'src/core/context/render.ts',
      find: 'message ${position + 1}] ${neutralized(event.quote)}${about}`;',
      put: 'message ${position + 1}] ${neutralized(event.quote.slice(0, 60))}${about}`;',
    },
    {
      what: 'what tools say is not looked through',
      file: 'src/app/ledger-keeper.ts',
      find: "if (message.role === 'system') continue;",
      put: "if (message.role !== 'user') continue;",
    },
    {
      what: 'a compression that finds many events keeps a few',
      file: 'src/core/state/key-event-list.ts',
      find: 'for (const event of events) {',
      put: 'for (const event of events.slice(0, 4)) {',
    },
    {
      what: 'what was superseded on another branch stays away on this one',
      file: 'src/core/state/key-event-list.ts',
      find: 'return other !== undefined && (this.isRemoved(link) || isOnBranch?.(other.message) === false);',
      put: 'return other === undefined && isOnBranch?.(link as never) === true;',
    },
  ),
  ...planted(
    'pinned-events',
    LIVES,
    {
      what: 'a pin is lost that was set while the event was being found',
      file: 'src/core/state/key-event-list.ts',
      find: 'const entry = known?.pinned === true ? { ...event, pinned: true } : event;',
      put: 'const entry = event;',
    },
    {
      what: 'pinned events leave a full ledger like any other',
      file: 'src/core/context/ledger-lines.ts',
      find: 'entries.filter((entry) => !entry.event.pinned).sort',
      put: '[...entries].sort',
    },
    {
      what: 'a pinned event that was superseded is not sent',
      file: 'src/core/context/ledger-lines.ts',
      find: '=> event.pinned || state.isCurrent(event);',
      put: '=> state.isCurrent(event);',
    },
  ),
  ...planted('pinned-events', FITTED, {
    what: 'a pinned event finds no room',
    file: 'src/core/events/ledger-budget.ts',
    find: 'if (!entry.pinned) return;',
    put: 'if (!entry.pinned || tokens > budgetTokens) return;',
  }),
  ...planted('exact-quotes', DETECTED, {
    what: 'what a rule finds stands beside what was found in the same words',
    file: 'src/core/events/detect.ts',
    find: 'if (rule === undefined || rule.start >= event.end) kept.push(event);',
    put: 'kept.push(event);',
  }),
  ...planted('exact-quotes', DETECTED, {
    what: 'what rules find stands behind everything else',
    file: 'src/core/events/detect.ts',
    find: 'return [...kept, ...taught].sort((a, b) => a.start - b.start);',
    put: 'return [...kept, ...taught];',
  }),
  ...planted(
    'corrections',
    LIVES,
    {
      what: 'a correction is lost when the event is found again',
      file: 'src/core/state/key-event-list.ts',
      find: 'known?.found ? correctedEvent(entry, known) : entry',
      put: 'entry',
    },
    {
      what: 'a correction of the kind is not taken over',
      file: 'src/core/events/correction.ts',
      find: '    ...rest,\n    kind,\n',
      put: '    ...rest,\n',
    },
  ),
  ...planted(
    'ledger-budget',
    LIVES,
    {
      what: 'the ledger takes half as much again as its share',
      file: 'src/core/context/ledger-lines.ts',
      find: 'if (used <= budget) break;',
      put: 'if (used <= budget * 1.5) break;',
    },
    {
      what: 'one event leaves a full ledger, and no more',
      file: 'src/core/context/ledger-lines.ts',
      find: 'if (used <= budget) break;',
      put: 'if (used <= budget || dropped.size > 0) break;',
    },
  ),
  ...planted('ledger-budget', FITTED, {
    what: 'the last event that is taken may exceed the budget',
    file: 'src/core/events/ledger-budget.ts',
    find: 'if (tokens + costs[i]! > budgetTokens) {',
    put: 'if (tokens > budgetTokens) {',
  }),
  ...planted(
    'named-when-left-out',
    LIVES,
    {
      what: 'what has no room leaves without a word',
      file: 'src/core/context/ledger-lines.ts',
      find: 'leftOut: [...dropped].filter(isCurrent),',
      put: 'leftOut: [],',
    },
    {
      what: 'what has no room is not told with the context',
      file: 'src/core/context/assemble.ts',
      find: 'const { system, systemParts, leftOut } = prefix;',
      put: 'const { system, systemParts } = prefix;\n  const leftOut: KeyEvent[] = [];',
    },
  ),
  ...planted('named-when-left-out', FITTED, {
    what: 'what was dropped is in no list',
    file: 'src/core/events/ledger-budget.ts',
    find: "else dropped.push(entry.status === 'active' ? { ...entry, status: 'dropped' } : entry);",
    put: "else if (entry.status !== 'active') dropped.push(entry);",
  }),
  ...planted(
    'named-when-left-out',
    LEAVING,
    {
      what: 'duplicates outlive active key events',
      file: 'src/core/events/ledger-budget.ts',
      find: 'return -2;',
      put: 'return 9;',
    },
    {
      what: 'what was superseded takes room that an active key event was denied',
      file: 'src/core/events/ledger-budget.ts',
      find: 'if (!active && denied) break;',
      put: '',
    },
    {
      what: 'what was superseded leaves before its duplicates',
      file: 'src/core/events/ledger-budget.ts',
      find: 'return -1;',
      put: 'return -3;',
    },
  ),
];
