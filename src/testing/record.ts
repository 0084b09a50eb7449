import type { Trace } from '../trace/trace.ts';
import type { TrafficRecord } from '../trace/traffic.ts';

/** A recording in memory. Pass it to `connect` as `trace`. */
export interface Recording extends Trace {
  /** What was recorded so far, in the order of the wire. */
  readonly records: readonly TrafficRecord[];
  /** The same as text, one record a line: what `acp-client fold` and `foldTraffic` read. */
  toString(): string;
}

/**
 * Records the traffic of a connection in memory.
 *
 * @param options - As for a trace. Default: secrets are left out, and texts of more than 65,536 characters are cut.
 *
 * @example
 * ```ts
 * const recording = record();
 * const connection = await connect(agent, { clientInfo, trace: recording });
 * await writeFile('trace.ndjson', recording.toString());
 * ```
 */
export function record(options: Omit<Trace, 'write'> = {}): Recording {
  const records: TrafficRecord[] = [];
  return {
    ...options,
    records,
    write: (next) => records.push(next),
    toString: () => records.map((each) => `${JSON.stringify(each)}\n`).join(''),
  };
}
