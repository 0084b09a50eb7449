import { type Diagnostic, type DiagnosticListener, preview } from '../base/diagnostic.ts';
import type { DialectName } from '../protocol/dialect.ts';
import type { PathMap } from '../protocol/path-map.ts';
import { readRecord } from '../trace/traffic.ts';
import type { FoldedSession } from './play-observer.ts';
import { playTraffic } from './play-traffic.ts';
import { type Step, stepsOf, withoutToolTraffic } from './recorded-agent.ts';

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
 * Reads all lines before it starts. The content of a recording never makes it reject. An error of `lines` does.
 *
 * @param lines - The lines of the recording, or its text.
 *
 * @example
 * ```ts
 * const { sessions } = await foldTraffic(await readFile('trace.ndjson', 'utf8'));
 * ```
 */
export async function foldTraffic(
  lines: Iterable<string> | AsyncIterable<string>,
  options: FoldTrafficOptions = {},
): Promise<FoldedTraffic> {
  const diagnostics: Diagnostic[] = [];
  const report = (diagnostic: Diagnostic) => {
    diagnostics.push(diagnostic);
  };
  // A text is an iterable of its characters.
  const recorded = typeof lines === 'string' ? lines.split('\n') : lines;
  const { dialect, sessions } = await playTraffic(await readSteps(recorded, report), {
    ...options,
    report,
  });
  return { dialect, sessions, diagnostics };
}

async function readSteps(
  lines: Iterable<string> | AsyncIterable<string>,
  report: DiagnosticListener,
): Promise<readonly Step[]> {
  const steps: Step[] = [];
  let lineNumber = 0;
  for await (const line of lines) {
    lineNumber++;
    if (line.trim() === '') continue;
    const record = readRecord(line);
    if (record) for (const step of stepsOf(record)) steps.push(step);
    else {
      const message = `Line ${lineNumber} is not a record of traffic, as in {"dir":"in","t":0,"msg":{…}}. It was ignored.`;
      report({ rule: 'transport.noise', severity: 'warning', message, received: preview(line) });
    }
  }
  return withoutToolTraffic(steps);
}
