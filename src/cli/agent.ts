import { connect } from '../client/connect.ts';
import type { ClientConnection } from '../client/connection.ts';
import type { ClientHandlers } from '../client/handlers.ts';
import { isJsonObject } from '../json.ts';
import { demoAgentCommand } from '../node/demo-agent.ts';
import { spawnAgent } from '../node/spawn.ts';
import { AgentFailure } from './agent-failure.ts';
import type { Invocation } from './arguments.ts';
import type { Context } from './context.ts';
import { openTrace } from './trace.ts';
import { version } from './version.ts';

interface Use {
  readonly handlers?: ClientHandlers;
  /** Sees each message of the agent's, before it is handled. */
  readonly onIncoming?: (message: { readonly method?: unknown }) => void;
}

/**
 * Runs the agent for as long as `use` takes. Nothing of it is left when this settles, however it does.
 *
 * @throws {@link AgentFailure} for what went wrong once the agent was started.
 */
export async function withAgent<T>(
  { agent: given, protocolVersion, timeoutMs, traceFile }: Invocation,
  { interrupts, report }: Context,
  { handlers, onIncoming }: Use,
  use: (connection: ClientConnection) => Promise<T>,
): Promise<T> {
  const trace = traceFile === undefined ? undefined : openTrace(traceFile);
  try {
    const agent = spawnAgent(given ?? demoAgentCommand());
    try {
      const connection = await connect(agent, {
        clientInfo: { name: 'acp-client', version },
        signal: interrupts.signal,
        onDiagnostic: report,
        trace: {
          write(record) {
            trace?.write(record);
            if (record.dir === 'in' && isJsonObject(record.msg)) onIncoming?.(record.msg);
          },
          // A recording that was asked for folds to the same conversation, however long its texts are.
          maxTextLength: Number.POSITIVE_INFINITY,
        },
        ...(handlers && { handlers }),
        ...(protocolVersion && { protocolVersions: [protocolVersion] }),
        ...(timeoutMs !== undefined && { initializeTimeoutMs: timeoutMs }),
      });
      return await closing(connection, use);
    } catch (error) {
      await agent.close();
      throw new AgentFailure(error, agent.exit?.stderrTail ?? '');
    }
  } finally {
    trace?.close();
  }
}

async function closing<T>(
  connection: ClientConnection,
  use: (connection: ClientConnection) => Promise<T>,
): Promise<T> {
  try {
    return await use(connection);
  } finally {
    await connection.close();
  }
}
