import { isJsonObject } from '../json.ts';

/** One message of a recording: one line of JSON. */
export interface TrafficRecord {
  /** `in`: from the agent to the client. `out`: from the client to the agent. */
  readonly dir: 'in' | 'out';
  /** Milliseconds since the recording began. */
  readonly t: number;
  /** The message as it was on the wire. */
  readonly msg: unknown;
}

/** Reads one line of a recording. Gives nothing for what is none: recordings are cut off and edited by hand. */
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
