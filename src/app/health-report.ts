/** The results of a health check: numbers, IDs, and names of settings, but never message text. */
export interface HealthFacts {
  readonly versions: Readonly<Record<string, string>>;
  readonly journals: readonly JournalHealth[];
  /** `newer`: written by a later version of the extension. */
  readonly snapshots: { readonly kind: 'valid' | 'none' | 'newer' | 'corrupt'; readonly bytes: number };
  /** Number of journals quarantined because they couldn't be read. */
  readonly quarantined: number;
  readonly settings: { readonly fault: string | undefined; readonly changed: readonly string[] };
  readonly provider: { readonly name: string; readonly model: string; readonly state: ProviderState };
  readonly memory: {
    readonly entries: number;
    readonly quarantined: number;
    /** Why it can't be read; undefined if it can. */
    readonly fault: string | undefined;
  };
}

export interface JournalHealth {
  readonly id: string;
  readonly bytes: number;
  readonly messages: number;
  readonly isCurrent: boolean;
  readonly fault: string | undefined;
}

/** Only the reason of a fault, because the provider's message may quote the request. */
export type ProviderState = { readonly kind: 'ready' | 'no_key' } | { readonly kind: 'fault'; readonly reason: string };

export function countProblems({ journals, snapshots, settings, provider, memory }: HealthFacts): number {
  const snapshotProblems = snapshots.kind === 'corrupt' || snapshots.kind === 'newer' ? 1 : 0;
  return (
    journals.filter(({ fault }) => fault !== undefined).length +
    snapshotProblems +
    (settings.fault === undefined ? 0 : 1) +
    (provider.state.kind === 'ready' ? 0 : 1) +
    (memory.fault === undefined ? 0 : 1)
  );
}

/** The report as Markdown. It isn't translated, because users attach it to bug reports. */
export function renderHealth(facts: HealthFacts): string {
  const { versions, journals, snapshots, quarantined, settings, provider, memory } = facts;
  const problems = countProblems(facts);
  const valid = journals.filter(({ fault }) => fault === undefined);
  const kilobytes = (bytes: number): string => `${Math.ceil(bytes / 1024)} KB`;
  const damaged = journals.flatMap(({ id, bytes, fault }) =>
    fault === undefined ? [] : [`- \`${id}\`, ${kilobytes(bytes)}: ${fault}`],
  );
  const current = journals.find(({ isCurrent }) => isCurrent);
  const state =
    provider.state.kind === 'fault' ? `fault: ${provider.state.reason}` : provider.state.kind.replace('_', ' ');
  return [
    '# Threadkeeper Health Report',
    problems === 0 ? 'No problems found.' : problems === 1 ? 'Found 1 problem.' : `Found ${problems} problems.`,
    'This report contains no message text, titles, paths, or API keys.',
    `## Versions\n\n${Object.entries(versions)
      .map(([name, version]) => `- ${name}: ${version}`)
      .join('\n')}`,
    `## Journals\n\n- valid: ${valid.length} of ${journals.length}, ${kilobytes(sum(journals.map(({ bytes }) => bytes)))} total\n- quarantined files: ${quarantined}` +
      (current === undefined
        ? ''
        : `\n- messages in the open session: ${current.messages}, ${kilobytes(current.bytes)}`) +
      (damaged.length === 0 ? '' : `\n${damaged.join('\n')}`),
    `## Snapshots\n\n- ${snapshots.kind}, ${kilobytes(snapshots.bytes)} of 256 KB`,
    `## Settings\n\n- ${settings.fault ?? 'valid'}\n- changed: ${settings.changed.length === 0 ? 'none' : settings.changed.map((name) => `\`${name}\``).join(', ')}`,
    `## Provider\n\n- ${provider.name}, model ${provider.model === '' ? '(default)' : `\`${provider.model}\``}: ${state}`,
    `## Memory\n\n- ${memory.fault === undefined ? `entries: ${memory.entries}` : `can’t be read: ${memory.fault}`}\n- quarantined files: ${memory.quarantined}`,
  ].join('\n\n');
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
