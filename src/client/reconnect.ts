import type * as v from 'valibot';
import { type DiagnosticListener, errorMessage, warning } from '../base/diagnostic.ts';
import { type AcpError, ConnectionClosedError } from '../base/errors.ts';
import { delayMs, numberBetween, optional, optionsObject } from '../base/options.ts';
import { describeExit } from '../base/process-exit.ts';
import { backOffMs, delay } from '../base/wait.ts';
import type { TransportEnd } from '../transport/transport.ts';
import type { Link } from './calls/link.ts';

/** How a connection starts its agent again after the agent ended unexpectedly. */
export interface ReconnectOptions {
  /**
   * The number of attempts before the connection closes. An agent that starts and ends again within `maxDelayMs` counts
   * as an attempt. Default: 5.
   */
  readonly maxAttempts?: number | undefined;
  /** Milliseconds before the first attempt. Each further attempt waits twice as long. Default: 250. */
  readonly firstDelayMs?: number | undefined;
  /** The maximum wait, in milliseconds. Default: 10,000. */
  readonly maxDelayMs?: number | undefined;
}

/** Checks {@link ReconnectOptions}. */
export const ReconnectSchema = optionsObject({
  maxAttempts: optional(numberBetween(0, Number.POSITIVE_INFINITY)),
  firstDelayMs: optional(delayMs),
  maxDelayMs: optional(delayMs),
} satisfies { readonly [K in keyof Required<ReconnectOptions>]: v.GenericSchema });

/** How long a restart waits until the crashed agent has released everything, in milliseconds. */
export const crashedAgentLimitMs = 1000;

/** Starts the agent again. Rejects when every attempt failed or `signal` was aborted. */
export type Restart = (signal: AbortSignal) => Promise<Link>;

/** Returns what starts the agent again, with growing pauses, until an attempt succeeds or too many have failed. */
export function restarter(
  start: (signal: AbortSignal) => Promise<Link>,
  { maxAttempts = 5, firstDelayMs = 250, maxDelayMs = 10_000 }: ReconnectOptions,
  report: DiagnosticListener,
): Restart {
  let attempts = 0;
  let startedAt = performance.now();
  return async function restart(signal) {
    // An agent that ran for a while counts as started: its end is a new fault, with all attempts.
    if (performance.now() - startedAt > maxDelayMs) attempts = 0;
    let error: unknown = signal.reason;
    while (attempts < maxAttempts) {
      await delay(backOffMs(attempts, { firstDelayMs, maxDelayMs }), signal);
      if (signal.aborted) break;
      attempts++;
      try {
        const link = await start(signal);
        startedAt = performance.now();
        return link;
      } catch (failure) {
        error = failure;
        const message = `The agent could not be started again, in attempt ${attempts} of ${maxAttempts}: ${errorMessage(failure)}`;
        if (!signal.aborted) report(warning('connection.restart_failed', message));
      }
    }
    throw error;
  };
}

/** How an agent ended, in one line, for the transcript. */
export function describeEnd({ error, exit }: TransportEnd, agentName = 'The agent'): string {
  if (exit) return `${agentName} ${describeExit(exit)}.`;
  return error ? (error.message.split('\n')[0] ?? '') : `${agentName} closed the connection.`;
}

/** The error of a turn that was open when the connection ended, or when it lost the session. */
export function turnError({ error, exit }: TransportEnd, happened: string, remedy: string): AcpError {
  // An error of the channel itself says more, if it says who can act.
  if (error && !(error instanceof ConnectionClosedError) && error.code !== 'agent.exit') return error;
  const how = error ? ` ${error.message}` : '';
  const message = `The connection to the agent ${happened} during the turn.${how}\n${remedy}`;
  return new ConnectionClosedError(message, { exit, cause: error });
}
