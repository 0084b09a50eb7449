import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** How many of its cases a test runs. Default: a quarter. */
    readonly runs?: 'all';
  }
}

/** Whether this is a run of all cases. */
export const runsAll = inject('runs') === 'all';

/** The number of cases that a test runs: a quarter of them in `npm test`, and all of them in `npm run suite -- full`. */
export const runs = (all: number): number => (runsAll ? all : Math.ceil(all / 4));

/** The rows of a table that a test runs: each fourth one in `npm test`, and all of them in `npm run suite -- full`. */
export const someOf = <T>(rows: readonly T[]): readonly T[] =>
  runsAll ? rows : rows.filter((_, at) => at % 4 === 0);
