import { readRecord, type TrafficRecord } from '../../core/trace/traffic.ts';

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
