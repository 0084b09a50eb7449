import { closeSync, openSync, writeSync } from 'node:fs';
import { errorMessage } from '../diagnostic.ts';
import type { TrafficRecord } from '../trace/traffic.ts';
import { UnusableFile } from './wrong-usage.ts';

/** A file that the traffic with an agent is recorded in. */
export interface TraceFile {
  write(record: TrafficRecord): void;
  close(): void;
}

/**
 * Begins a recording. Each message is in the file before it is handled, so that a recording of a crash is whole.
 *
 * @throws {@link UnusableFile} if the file cannot be written.
 */
export function openTrace(path: string): TraceFile {
  let file: number;
  try {
    file = openSync(path, 'w');
  } catch (error) {
    throw new UnusableFile(`--trace: ${path} cannot be written: ${errorMessage(error)}.`);
  }
  return {
    write(record) {
      writeSync(file, `${JSON.stringify(record)}\n`);
    },
    close: () => closeSync(file),
  };
}
