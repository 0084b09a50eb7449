import type * as v from 'valibot';
import { type AcpError, ConnectionClosedError } from '../base/errors.ts';
import { delayMs, numberBetween, oneOf, optional, optionsObject } from '../base/options.ts';
import { describeExit } from '../base/process-exit.ts';
import type { TransportEnd } from '../transport/transport.ts';
import { type HistoryPolicy, HistoryPolicySchema } from './session/opener.ts';

/** How a connection starts its agent again after the agent ended unexpectedly, or reaches a remote one again. */
export interface ReconnectOptions {
  /**
   * The number of attempts before the connection closes. An agent that starts and ends again within `maxDelayMs` counts
   * as an attempt, unless a turn ended meanwhile. For a remote agent, only attempts count that the server refused, such
   * as with the status 401: how often the network was away does not matter. `0`: the connection closes at once. Default:
   * 5.
   */
  readonly maxAttempts?: number | undefined;
  /** The longest wait before the first attempt, in milliseconds. Each further wait is twice as long. Default: 250. */
  readonly firstDelayMs?: number | undefined;
  /**
   * The longest wait, in milliseconds. Half of each wait is random. When a remote agent could not be reached for five
   * minutes, the waits grow on, up to six times this. Default: 10,000.
   */
  readonly maxDelayMs?: number | undefined;
  /**
   * Milliseconds until the connection closes because a remote agent could not be reached, counted from the loss. Default:
   * 24 hours. An agent on this machine is given up after `maxAttempts`, and not after a time.
   */
  readonly giveUpAfterMs?: number | undefined;
  /**
   * Whether a session that is opened again gets the history of the agent. With it, what the agent did after the loss is in
   * the conversation: the entries that the user has seen stay, those of the interrupted turn are completed, and what is
   * new is added. Default: `prefer` for a remote agent, which may have worked on, and `skip` for an agent on this machine,
   * which has ended.
   */
  readonly history?: HistoryPolicy | undefined;
  /**
   * Whether a prompt that the agent may not have got is sent again when its session is open again. Each prompt to an agent
   * of version 2 has a key, and an agent that knows keys runs a prompt once, however often it is sent. `whenSafe`: if the
   * agent has shown that it follows the Preview of version 2, by `replay_complete` at the end of a replay. `always`: to each
   * agent of version 2; one that does not know keys may run the prompt twice. With both, the promise of the caller waits for
   * the new agent, and so does a turn that the agent had accepted. `never`: open prompts reject when the connection ends.
   * A prompt to an agent of version 1 is never sent again. Default: `whenSafe`.
   */
  readonly resendPrompts?: 'whenSafe' | 'always' | 'never' | undefined;
}

/** Checks {@link ReconnectOptions}. */
export const ReconnectSchema = optionsObject({
  maxAttempts: optional(numberBetween(0, Number.POSITIVE_INFINITY)),
  firstDelayMs: optional(delayMs),
  maxDelayMs: optional(delayMs),
  giveUpAfterMs: optional(numberBetween(0, Number.POSITIVE_INFINITY)),
  history: optional(HistoryPolicySchema),
  resendPrompts: optional(oneOf('whenSafe', 'always', 'never')),
} satisfies { readonly [K in keyof Required<ReconnectOptions>]: v.GenericSchema });

/** How long a restart waits until the crashed agent has released everything, in milliseconds. */
export const crashedAgentLimitMs = 1000;

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
