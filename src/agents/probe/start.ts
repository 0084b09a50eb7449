import type { Diagnostic } from '../../core/base/diagnostic.ts';
import type { ConnectOptions } from '../../core/client/connect.ts';
import type { ClientConnection } from '../../core/client/connection.ts';
import { type SpawnAgentOptions, startAgent } from '../../node/process/spawn.ts';
import { connect } from '../connect.ts';

/** One start of an agent. */
export type Start = Started | FailedStart;

/** An agent that answered `initialize`. */
export interface Started {
  readonly connection: ClientConnection;
  /** Ends the agent and everything that it started, daemons included. Never rejects. */
  end(): Promise<void>;
}

/** An agent that did not. It has ended. */
export interface FailedStart {
  readonly connection: undefined;
  /** Why there is no connection. */
  readonly error: unknown;
  /** Whether the program ran. */
  readonly ran: boolean;
  /** The end of what it wrote to stderr. */
  readonly stderrTail: string;
  /** The beginning of the first line on stdout that is not a message. */
  readonly noise: string | undefined;
}

/**
 * Starts an agent and connects to it. Rejects only if the signal is aborted. If there is no connection, everything that
 * was started has ended.
 */
export async function start(command: SpawnAgentOptions, options: ConnectOptions): Promise<Start> {
  const agent = startAgent(command, 'end');
  let noise: string | undefined;
  try {
    const connection = await connect(agent, {
      ...options,
      onDiagnostic: ({ rule, received }: Diagnostic) => {
        if (rule === 'transport.noise') noise ??= received ?? '';
      },
    });
    const end = async () => {
      await connection.close();
      // The connection is also closed when the program has exited, before its children have.
      await agent.close();
    };
    return { connection, end };
  } catch (error) {
    await agent.close();
    options.signal?.throwIfAborted();
    const ran = agent.pid !== undefined;
    return { connection: undefined, error, ran, stderrTail: agent.exit?.stderrTail ?? '', noise };
  }
}
