/** A step of a run of a real agent. */
export interface RecordedStep {
  readonly step: string;
  /** As the page about agents names it. */
  readonly title: string;
  /** The recording, with one record per line. */
  readonly text: string;
}

// By their address: the compiler does not read the agents suite, which is JavaScript.
const files: {
  recordingName(column: string): string;
  readRecordings(): ReadonlyMap<string, readonly RecordedStep[]>;
} = await import(new URL('../agents/recordings/files.mjs', import.meta.url).href);

/** The name of the run of a column of the page about agents. */
export const { recordingName } = files;

/** The recordings of the agents suite, by the name of their run. */
export const agentRecordings = files.readRecordings();

/** The recording of a step, which must exist. */
export function recordedStep(name: string, step: string): string {
  const found = agentRecordings.get(name)?.find((recorded) => recorded.step === step);
  if (!found) throw new Error(`The recording ${name} has no step ${step}.`);
  return found.text;
}
