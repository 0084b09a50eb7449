import type { Diagnostic } from '../base/diagnostic.ts';
import { describeExit } from '../base/process-exit.ts';
import type { DialectName } from '../protocol/dialect.ts';
import type { RecordedEnd } from '../trace/ended.ts';
import type { FoldedSession, PlayOptions } from './play-observer.ts';
import type { Step } from './recorded-agent.ts';
import { RecordedClient } from './recorded-client.ts';
import { type RecordedRun, runsOf } from './recorded-runs.ts';

/**
 * Plays the steps of a recording: each connection with its runs. Returns the agent's dialect, the sessions of all
 * connections, and the runs.
 */
export async function playTraffic(
  steps: readonly Step[],
  options: PlayOptions,
): Promise<{
  readonly dialect: DialectName | undefined;
  readonly sessions: readonly FoldedSession[];
}> {
  const { report, dialect: assumed, observer } = options;
  let runs = runsOf(steps, assumed);
  const dialect = runs.findLast((run) => run.dialect)?.dialect ?? assumed;
  if (runs.some(isOfUnknownDialect)) {
    report({
      rule: 'protocol.dialect',
      severity: 'error',
      message: 'The recording does not hold the answer to initialize, so that its version is not known.',
    });
  }
  const sessions: FoldedSession[] = [];
  for (let [first, ...others] = runs; first; [first, ...others] = runs) {
    let played = 1;
    let ofConnection: readonly FoldedSession[] = [];
    if (first.dialect) {
      const client = new RecordedClient([first, ...others], options);
      played = await client.play();
      ofConnection = client.sessions();
      sessions.push(...ofConnection);
      await client.close();
    }
    const last = runs[played - 1];
    if (last) observer?.closed(last, ofConnection);
    for (const { end } of runs.slice(0, played)) if (end) report(endDiagnostic(end));
    runs = runs.slice(played);
  }
  return { dialect, sessions };
}

/** Whether a run concerns sessions, and cannot be played. */
function isOfUnknownDialect({ dialect, steps }: RecordedRun): boolean {
  return (
    dialect === undefined && steps.some(({ message: { method } }) => String(method).startsWith('session/'))
  );
}

function endDiagnostic({ exitCode, signal = null, error }: RecordedEnd): Diagnostic {
  const message =
    exitCode === undefined
      ? error
        ? `The connection to the agent broke here. ${error.message}`
        : 'The agent closed the connection here, before the client did.'
      : `The agent ${describeExit({ exitCode, signal })} here, before the client closed the connection.`;
  return { rule: 'connection.ended', severity: 'warning', message };
}
