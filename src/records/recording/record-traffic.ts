import type { Trace } from '../../core/trace/trace.ts';
import { readRecord, type TrafficRecord } from '../../core/trace/traffic.ts';

/** A recording in memory. Pass it to `connect` as `trace`. */
export interface Recording extends Trace {
  /** The records so far, in the order of the wire. */
  readonly records: readonly TrafficRecord[];
  /** Returns the recording as text with one record per line, for `npx acp-client-sdk fold` and `foldTraffic`. */
  toString(): string;
}

/**
 * Records the traffic of a connection in memory.
 *
 * @param options - The options of a trace. Default: secrets are removed, and texts of more than 65,536 characters are
 *   truncated.
 *
 * @example
 * ```ts
 * const recording = recordTraffic();
 * const connection = await connect(agent, { clientInfo, trace: recording });
 * await writeFile('trace.ndjson', recording.toString());
 * ```
 */
export function recordTraffic(options: Omit<Trace, 'write'> = {}): Recording {
  const records: TrafficRecord[] = [];
  return {
    ...options,
    records,
    write: (next) => records.push(next),
    toString: () => records.map((each) => `${JSON.stringify(each)}\n`).join(''),
  };
}

/**
 * A recording, as {@link playback} and {@link foldTraffic} take it: its text with one record per line, its lines, or its
 * records. `traceLines` of `acp-client-sdk/node` has the lines of a file, and `records` of {@link recordTraffic} those of
 * a recording in memory.
 */
export type RecordedTraffic = string | Iterable<string | TrafficRecord>;

/** The lines or the records of a recording. A text is an iterable of its characters, and is cut into lines here. */
export function itemsOf<T>(recording: string | T): readonly string[] | T {
  return typeof recording === 'string' ? recording.split('\n') : recording;
}

/** The record that a line has, or the record itself. `undefined` for another line. */
export function recordOf(item: string | TrafficRecord): TrafficRecord | undefined {
  return typeof item === 'string' ? readRecord(item) : item;
}
