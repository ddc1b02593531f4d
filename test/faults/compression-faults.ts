import { LIVES, planted, type Catcher } from './planted-fault.ts';

const TOLD_ABOVE: Catcher = {
  spec: 'test/unit/app/summary-changes.test.ts',
  title: 'is told by what stands above it after the next compression',
};

const CHANGES: Catcher = {
  spec: 'test/property/promises/changes.test.ts',
  title: 'each make the next request what they promise',
};

/** When compression runs, what it may cost, and what it leaves alone. */
export const COMPRESSION_FAULTS = [
  ...planted(
    'progress',
    LIVES,
    {
      what: 'a compression that saves nothing is committed',
      file: 'src/app/compress-session.ts',
      find: 'Math.floor((1 - MIN_SAVING) * leavingTokens) - addedLedger(job, draft) - frame',
      put: 'leavingTokens * 2 - addedLedger(job, draft) * 0 - frame',
    },
    {
      what: 'what summaries take is not held against what they save',
      file: 'src/app/compress-session.ts',
      find: 'if (!pays(job, plan, draft))',
      put: 'if (ceilingOf(job, plan, draft) < -1e9)',
    },
  ),
  ...planted(
    'off',
    LIVES,
    {
      what: 'the command compresses although compression is off',
      file: 'src/app/compressor.ts',
      find: "if (settings.policy.strategy === 'off') return Promise.resolve({ kind: 'off' });",
      put: '',
    },
    {
      what: 'a preview asks the model although compression is off',
      file: 'src/app/compressor.ts',
      find: "if (request.settings.policy.strategy === 'off') return 'off';",
      put: '',
    },
  ),
  ...planted(
    'failure-leaves-all',
    LIVES,
    {
      what: 'code stands in for a model that was cancelled',
      file: 'src/core/compress/summarize.ts',
      find: 'pace.throwIfCancelled();\n          if (!settings.extractiveOnFault) throw error;',
      put: '',
    },
    {
      what: 'code stands in for a provider’s fault in the background',
      file: 'src/app/compressor.ts',
      find: "const allowsFallback = settings.extractiveOnFault && urgency === 'now';",
      put: 'const allowsFallback = settings.extractiveOnFault;',
    },
    {
      what: 'a preview is committed',
      file: 'src/app/compressor.ts',
      find: "return result.kind === 'done' ? result.record : result.reason;",
      put: "if (result.kind === 'done') await this.#deps.journal.append({ type: 'compressed', compression: result.record });\n    return result.kind === 'done' ? result.record : result.reason;",
    },
    {
      what: 'nobody is told that code stood in for the model',
      file: 'src/app/compressor.ts',
      find: 'result: { ...result, record, fault }, planned, triggered };',
      put: 'result: { ...result, record, fault: undefined }, planned, triggered };',
    },
  ),
  ...planted('plan-still-stands', LIVES, {
    what: 'a compression is committed although a message that it covers has gone',
    file: 'src/app/compressor.ts',
    find: 'if (planned.path[at] !== state.path[at]) return false;',
    put: 'if (planned.path[at] === undefined) return false;',
  }),
  ...planted('plan-still-stands', LIVES, {
    what: 'what was compressed is committed whatever has happened since',
    file: 'src/app/compressor.ts',
    find: 'if (!stillStands(planned, last.position, record, journal.state)) {',
    put: 'if (last.position < 0) {',
  }),
  ...planted(
    'opened-stays-open',
    LIVES,
    {
      what: 'what was opened is summarized again in the background',
      file: 'src/app/compression-plan.ts',
      find: ' || held[item.position] === true) {',
      put: ') {',
    },
    {
      what: 'a reset closes what was opened',
      file: 'src/app/compression-plan.ts',
      find: "holdsUpRequest(job) || due.trigger === 'command' || due.trigger === 'import';",
      put: "holdsUpRequest(job) || due.trigger !== 'age';",
    },
  ),
  ...planted(
    'frozen-prefix',
    LIVES,
    {
      what: 'the number of messages stands in the system prompt',
      file: 'src/core/context/assemble.ts',
      find: 'const { system, systemParts, leftOut } = prefix;',
      put: 'const { systemParts, leftOut } = prefix;\n  const system = [...prefix.system, `${state.path.length}`];',
    },
    {
      what: 'the task stands in the system prompt',
      file: 'src/core/context/assemble.ts',
      find: 'const { system, systemParts, leftOut } = prefix;',
      put: 'const { systemParts, leftOut } = prefix;\n  const system = [...prefix.system, task];',
    },
    {
      what: 'a pin changes the prefix with the next turn only',
      file: 'src/core/state/session-state.ts',
      find: "if (event.type === 'compressed' || isChange(event)) this.#frontChanged();",
      put: "if (event.type === 'compressed') this.#frontChanged();\n    else this.#nodesNow = undefined;",
    },
  ),
  ...planted(
    'stale-regenerated',
    TOLD_ABOVE,
    {
      what: 'what was made from an edited summary stays',
      file: 'src/core/state/summaries.ts',
      find: 'change(this.stale, id, changed);',
      put: 'change(this.stale, id, changed && made.length > 9);',
    },
    {
      what: 'a stale summary is not regenerated',
      file: 'src/core/compress/tree.ts',
      find: 'if (!stale.has(node.id)) return node;',
      put: 'if (!stale.has(node.id) || node.depth > 0) return node;',
    },
  ),
  ...planted(
    'changes-taken-back',
    CHANGES,
    {
      what: 'an edit cannot be taken back',
      file: 'src/core/state/changes.ts',
      find: "{ type: 'node_replaced', node } : undefined;",
      put: "{ type: 'node_level_set', node: event.node, level: 'brief' } : undefined;",
    },
    {
      what: 'what was taken back is lost',
      file: 'src/core/state/session-state.ts',
      find: 'to.push(change);',
      put: 'if (!event.undone) to.push(change);',
    },
    {
      what: 'a chosen level stays when its choice is taken back',
      file: 'src/core/state/changes.ts',
      find: 'return level === event.level ? undefined : { ...event, level };',
      put: 'return level === event.level ? undefined : event;',
    },
    {
      what: 'a pin that is taken back stays',
      file: 'src/core/state/changes.ts',
      find: '{ ...event, pinned: !event.pinned } : undefined;',
      put: 'event : undefined;',
    },
  ),
];
