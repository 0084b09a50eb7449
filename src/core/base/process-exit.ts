/** How a process ended: with an exit code or by a signal. The other one is `null`. */
export interface ProcessExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** The end of a process as a predicate: `exited with code 1`, `was ended by SIGKILL`. */
export function describeExit({ exitCode, signal }: ProcessExit): string {
  return signal === null ? `exited with code ${exitCode}` : `was ended by ${signal}`;
}
