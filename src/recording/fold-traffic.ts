import { type Diagnostic, type DiagnosticListener, preview } from '../base/diagnostic.ts';
import type { DialectName } from '../protocol/dialect.ts';
import type { PathMap } from '../protocol/path-map.ts';
import type { TrafficRecord } from '../trace/traffic.ts';
import type { FoldedSession } from './play-observer.ts';
import { playTraffic } from './play-traffic.ts';
import { type Step, stepsOf, withoutToolTraffic } from './recorded-agent.ts';
import { itemsOf, type RecordedTraffic, recordOf } from './recorded-traffic.ts';

/** Information that a recording does not contain. */
export interface FoldTrafficOptions {
  /** The agent's dialect, if the recording does not contain its answer to `initialize`. */
  readonly dialect?: DialectName | undefined;
  /** The map with which it was recorded, for conversations with the editor's paths. Default: those of the recording. */
  readonly paths?: PathMap | undefined;
}

/** The content of a recording. */
export interface FoldedTraffic {
  /** The agent's dialect. Absent if the recording does not contain it; then there are no sessions. */
  readonly dialect: DialectName | undefined;
  /** The sessions in the order in which they first appear. A session of several connections is listed once for each. */
  readonly sessions: readonly FoldedSession[];
  /** Problems: lines that are not records, invalid messages from the agent, and its crash. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Rebuilds the conversations of a recording without an agent. The recording has one
 * `{"dir":"in"|"out","t":ms,"msg":{…}}` per line. The function repeats the recorded calls on a real connection, with a
 * recorded agent that answers them. A load restarts its session, as it does live, and so does a restart after a crash.
 * A session that was closed and resumed keeps its transcript.
 *
 * Reads the whole recording before it starts. The content of a recording never makes it reject. An error of an iterable
 * does.
 *
 * @param recording - What {@link playback} takes too: the text of a recording, its lines, or its records. Lines and
 *   records can also come one after the other, as from a stream.
 *
 * @example
 * ```ts
 * const { sessions } = await foldTraffic(await readFile('trace.ndjson', 'utf8'));
 * ```
 */
export async function foldTraffic(
  recording: RecordedTraffic | AsyncIterable<string | TrafficRecord>,
  options: FoldTrafficOptions = {},
): Promise<FoldedTraffic> {
  const diagnostics: Diagnostic[] = [];
  const report = (diagnostic: Diagnostic) => {
    diagnostics.push(diagnostic);
  };
  const { dialect, sessions } = await playTraffic(await readSteps(itemsOf(recording), report), {
    ...options,
    report,
  });
  return { dialect, sessions, diagnostics };
}

async function readSteps(
  items: Iterable<string | TrafficRecord> | AsyncIterable<string | TrafficRecord>,
  report: DiagnosticListener,
): Promise<readonly Step[]> {
  const steps: Step[] = [];
  let lineNumber = 0;
  for await (const line of items) {
    lineNumber++;
    if (typeof line === 'string' && line.trim() === '') continue;
    const record = recordOf(line);
    if (record) for (const step of stepsOf(record)) steps.push(step);
    else {
      const message = `Line ${lineNumber} is not a record of traffic, as in {"dir":"in","t":0,"msg":{…}}. It was ignored.`;
      report({ rule: 'transport.noise', severity: 'warning', message, received: preview(line) });
    }
  }
  return withoutToolTraffic(steps);
}
