/** A part of a probe. They are in this order; not every probe has each of them. */
export type ProbeStepName =
  /** The program is looked up. */
  | 'search'
  /** The program is started, and answers `initialize`. */
  | 'initialize'
  /** The agent says whether the user is logged in. */
  | 'loginStatus'
  /** A session is opened, and deleted or closed again. */
  | 'session'
  /** The agent and everything that it started have ended. */
  | 'end'
  /** The program is started again, answers `initialize` of an older version, and ends. */
  | 'olderVersion';

/** A step that was carried out, and how long it took. */
export interface ProbeStep {
  readonly name: ProbeStepName;
  readonly durationMs: number;
}

/** Measures the steps of a probe, and shares its time among them. */
export function probeClock(stepTimeoutMs: number, timeoutMs: number) {
  const steps: ProbeStep[] = [];
  const endsAt = performance.now() + timeoutMs;
  /** How many milliseconds are left in all. */
  const leftMs = () => Math.max(0, endsAt - performance.now());
  return {
    steps,
    leftMs,
    /** How many milliseconds a step may take that begins now, at least 1. */
    stepMs: () => Math.max(1, Math.ceil(Math.min(stepTimeoutMs, leftMs()))),
    /** Carries out a step, and notes how long it took, also if it fails. */
    async step<T>(name: ProbeStepName, carryOut: () => Promise<T>): Promise<T> {
      const startedAt = performance.now();
      try {
        return await carryOut();
      } finally {
        steps.push({ name, durationMs: Math.round(performance.now() - startedAt) });
      }
    },
  };
}
