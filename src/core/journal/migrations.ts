/** A JSON object as it was read, whose shape only the version that wrote it knows. */
type Stored = Readonly<Record<string, unknown>>;

/** Makes of what version n has written what version n + 1 would have: pure, and total for all that n could write. */
export type Migration = (stored: Stored) => Stored;

/**
 * From each version of an event's body to the next, version 1 first. A new version of the format is one function at the
 * end and one frozen file in `test/fixtures/formats`; its number follows from the length of this list.
 */
export const JOURNAL_MIGRATIONS: readonly Migration[] = [];

/** The same for the snapshots in the editor's state. */
export const SNAPSHOT_MIGRATIONS: readonly Migration[] = [];

/** The version that stands at the end of a chain of migrations. */
export function versionAfter(migrations: readonly Migration[]): number {
  return migrations.length + 1;
}

/** Takes what was stored in version `from` (1 at least) through all that came later. */
export function migrate(stored: Stored, from: number, migrations: readonly Migration[]): Stored {
  return migrations.slice(from - 1).reduce((one, step) => step(one), stored);
}
