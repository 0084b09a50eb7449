import { closeSync, openSync, writeSync } from 'node:fs';
import type { CallOptions } from '../client/call-options.ts';
import { connect } from '../client/connect.ts';
import type { ClientConnection } from '../client/connection.ts';
import type { ClientHandlers } from '../client/requests/handlers.ts';
import { errorMessage } from '../diagnostic.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import { demoAgentCommand } from '../node/demo-agent.ts';
import { spawnAgent } from '../node/spawn.ts';
import type { Context } from './context.ts';
import { AgentFailure, CommandError, exitCodes } from './errors.ts';
import { type Invocation, version } from './options.ts';

interface AgentOptions {
  readonly handlers?: ClientHandlers;
  /** Called with each message from the agent before the message is handled. */
  readonly onIncoming?: (message: JsonObject) => void;
}

/**
 * Starts the agent, calls `use` with the connection and the options for its calls, and ends the agent. When this
 * settles, all processes of the agent have ended.
 *
 * @throws {@link AgentFailure} for any error after the agent was started.
 */
export async function withAgent<T>(
  invocation: Invocation,
  context: Context,
  { handlers, onIncoming }: AgentOptions,
  use: (connection: ClientConnection, options: CallOptions) => Promise<T>,
): Promise<T> {
  const { protocolVersion, timeoutMs, traceFile } = invocation;
  const { interrupts, report } = context;
  const command = await commandOf(invocation, context);
  const trace = traceFile === undefined ? undefined : openTrace(traceFile);
  const { signal } = interrupts;
  try {
    const agent = spawnAgent(command);
    try {
      const connection = await connect(agent, {
        clientInfo: { name: 'acp-client', version },
        signal,
        onDiagnostic: report,
        trace: {
          write(record) {
            if (trace !== undefined) writeSync(trace, `${JSON.stringify(record)}\n`);
            if (record.dir === 'in' && isJsonObject(record.msg)) onIncoming?.(record.msg);
          },
          // A shortened text would fold to a different conversation.
          maxTextLength: Number.POSITIVE_INFINITY,
        },
        ...(handlers && { handlers }),
        ...(protocolVersion && { protocolVersions: [protocolVersion] }),
        ...(timeoutMs !== undefined && { initializeIdleTimeoutMs: timeoutMs }),
      });
      try {
        return await use(connection, { signal, ...(timeoutMs !== undefined && { timeoutMs }) });
      } finally {
        await connection.close();
      }
    } catch (error) {
      await agent.close();
      throw new AgentFailure(error, agent.exit?.stderrTail ?? '');
    }
  } finally {
    if (trace !== undefined) closeSync(trace);
  }
}

/** @throws {@link CommandError} if the registry does not have the agent, or it cannot be started here. */
async function commandOf({ agent, registry }: Invocation, context: Context) {
  if (!agent) return demoAgentCommand();
  if ('command' in agent) return agent;
  // Most commands need no registry, and load faster without it.
  const { registeredCommand } = await import('./registered-agent.ts');
  return registeredCommand(agent.name, registry, context);
}

/** Opens a file for synchronous writes: a message is in it before the message is handled, even if that crashes. */
function openTrace(path: string): number {
  try {
    return openSync(path, 'w');
  } catch (error) {
    throw new CommandError(`--trace: ${path} cannot be written: ${errorMessage(error)}.`, exitCodes.usage);
  }
}
