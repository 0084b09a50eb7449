import { isJsonObject } from '../base/json.ts';

/** A recorded message. A recording has one record per line, as JSON. */
export interface TrafficRecord {
  /** `in`: from the agent to the client. `out`: from the client to the agent. */
  readonly dir: 'in' | 'out';
  /** Milliseconds since the start of the recording. */
  readonly t: number;
  /** The message on the wire, after `redact`. */
  readonly msg: unknown;
}

/**
 * Reads a line of a recording. Returns `undefined` for an invalid line, because recordings may be cut off or edited.
 */
export function readRecord(line: string): TrafficRecord | undefined {
  let record: unknown;
  try {
    record = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isJsonObject(record)) return undefined;
  const { dir, t, msg } = record;
  if ((dir !== 'in' && dir !== 'out') || msg === undefined) return undefined;
  return { dir, t: typeof t === 'number' ? t : 0, msg };
}
