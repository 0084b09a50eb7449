/** What one process of the tests gets. */
export interface Work {
  /** The globs of the tests, the fastest first. */
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  /** The ids of the changes that the process makes. */
  readonly wanted: readonly string[];
  /** The ids of those that were noticed, and the tests that have had all of theirs, in a process that ended early. */
  readonly noticed: readonly string[];
  readonly done: readonly string[];
  /** The file with what happened, one object in each line. */
  readonly log: string;
  /** The file with the test and the change of this moment. */
  readonly current: string;
  /** A test that takes longer without a change gets none now, and how long tests took, in milliseconds. */
  readonly longestMs: number;
  readonly durations: Readonly<Record<string, number>>;
  /** How long a test with a change may take at least, before it counts as one that waits for ever. */
  readonly limitMs: number;
}
