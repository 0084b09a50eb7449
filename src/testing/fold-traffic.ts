import { type Diagnostic, type DiagnosticListener, preview } from '../diagnostic.ts';
import type { Conversation } from '../model/conversation.ts';
import { describeExit } from '../process-exit.ts';
import type { DialectName } from '../protocol/dialect.ts';
import type { PathMap } from '../protocol/path-map.ts';
import type { RecordedEnd } from '../trace/ended.ts';
import { readRecord } from '../trace/traffic.ts';
import { type Step, stepsOf, withoutToolTraffic } from './recorded-agent.ts';
import { RecordedClient } from './recorded-client.ts';
import { type RecordedRun, runsOf } from './recorded-runs.ts';

/** Information that a recording does not contain. */
export interface FoldTrafficOptions {
  /** The agent's dialect, if the recording does not contain its answer to `initialize`. */
  readonly dialect?: DialectName | undefined;
  /** The map with which it was recorded, for conversations with the editor's paths. Default: those of the recording. */
  readonly paths?: PathMap | undefined;
}

/** One session of a recording. */
export interface FoldedSession {
  /** The conversation of the recorded client at the end, also after a crash. */
  readonly conversation: Conversation;
  /** The number of updates that the agent sent for it. */
  readonly updates: number;
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
  let runs = runsOf(await readSteps(recorded, report), options.dialect);
  const dialect = runs.findLast((run) => run.dialect)?.dialect ?? options.dialect;
  if (runs.some(isOfUnknownDialect)) report(unknownDialect);
  const sessions: FoldedSession[] = [];
  for (let [first, ...others] = runs; first; [first, ...others] = runs) {
    let played = 1;
    if (first.dialect) {
      const client = new RecordedClient([first, ...others], report, options.paths);
      played = await client.play();
      sessions.push(...client.sessions());
      await client.close();
    }
    for (const { end } of runs.slice(0, played)) if (end) report(endDiagnostic(end));
    runs = runs.slice(played);
  }
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

/** Whether a run concerns sessions, and cannot be played. */
function isOfUnknownDialect({ dialect, steps }: RecordedRun): boolean {
  return (
    dialect === undefined && steps.some(({ message: { method } }) => String(method).startsWith('session/'))
  );
}

const unknownDialect: Diagnostic = {
  rule: 'protocol.dialect',
  severity: 'error',
  message: 'The recording does not hold the answer to initialize, so that its version is not known.',
};

function endDiagnostic({ exitCode, signal = null }: RecordedEnd): Diagnostic {
  const message =
    exitCode === undefined
      ? 'The agent closed the connection here, before the client did.'
      : `The agent ${describeExit({ exitCode, signal })} here, before the client closed the connection.`;
  return { rule: 'connection.ended', severity: 'warning', message };
}
