import type { Diagnostic } from '../../base/diagnostic.ts';
import { connect } from '../../client/connect.ts';
import type { ClientConnection } from '../../client/connection.ts';
import type { Implementation } from '../../model/session.ts';
import type { AuthStatus } from '../../protocol/calls.ts';
import type { ProtocolVersion } from '../../protocol/negotiate.ts';
import { type SpawnAgentOptions, startAgent } from '../spawn.ts';

/** How an agent is started once. */
export interface StartOptions {
  readonly command: SpawnAgentOptions;
  readonly offered: readonly ProtocolVersion[];
  readonly clientInfo: Implementation;
  readonly terminalLogin: boolean;
  /** Milliseconds without output of the agent, and in all, until the attempt to connect is given up. */
  readonly idleMs: number;
  readonly totalMs: number;
  readonly signal: AbortSignal | undefined;
  readonly onAuthStatus: (status: AuthStatus) => void;
}

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
 * Starts an agent and connects to it. Rejects only if `signal` is aborted. If there is no connection, everything that
 * was started has ended.
 */
export async function start(options: StartOptions): Promise<Start> {
  const { command, offered, clientInfo, terminalLogin, idleMs, totalMs, signal, onAuthStatus } = options;
  const agent = startAgent(command, 'end');
  let noise: string | undefined;
  try {
    const connection = await connect(agent, {
      clientInfo,
      terminalLogin,
      protocolVersions: offered,
      handlers: { authStatusChanged: onAuthStatus },
      initializeIdleTimeoutMs: idleMs,
      initializeTotalTimeoutMs: totalMs,
      onDiagnostic: ({ rule, received }: Diagnostic) => {
        if (rule === 'transport.noise') noise ??= received ?? '';
      },
      ...(signal && { signal }),
    });
    const end = async () => {
      await connection.close();
      // The connection is also closed when the program has exited, before its children have.
      await agent.close();
    };
    return { connection, end };
  } catch (error) {
    await agent.close();
    signal?.throwIfAborted();
    const ran = agent.pid !== undefined;
    return { connection: undefined, error, ran, stderrTail: agent.exit?.stderrTail ?? '', noise };
  }
}
