import { closeSync, openSync, writeSync } from 'node:fs';
import type { CallOptions } from '../client/call-options.ts';
import { connect } from '../client/connect.ts';
import type { ClientConnection } from '../client/connection.ts';
import type { ClientHandlers } from '../client/requests/handlers.ts';
import { errorMessage } from '../diagnostic.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import { demoAgentCommand } from '../node/demo-agent.ts';
import { registeredAgentCommand } from '../node/registry/command.ts';
import type { AgentRegistry } from '../node/registry/content.ts';
import { spawnAgent } from '../node/spawn.ts';
import type { Context } from './context.ts';
import { AgentFailure, CommandError, exitCodes, withoutCall } from './errors.ts';
import { type Invocation, version } from './options.ts';
import { ageLines, openRegistry } from './registry.ts';

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
async function commandOf({ agent: choice, registry }: Invocation, context: Context) {
  if (!choice) return demoAgentCommand();
  if ('command' in choice) return choice;
  const { name } = choice;
  const opened = await registryWith(name, registry, context);
  if (opened.problem !== undefined)
    for (const line of ageLines({ ...opened, problems: [] })) context.output.note(line);
  return registeredAgentCommand(opened, name, { env: context.host.env }).catch((error: unknown) => {
    throw new CommandError(`--agent: ${withoutCall(errorMessage(error))}`, exitCodes.usage);
  });
}

/** How old a copy of the registry may be to start an agent without a request. */
const maxAgeMs = 3_600_000;

/** The registry, fetched again if a young copy does not have the agent. */
export async function registryWith(
  name: string,
  registry: string | undefined,
  context: Context,
): Promise<AgentRegistry> {
  const opened = await openRegistry({ registry, maxAgeMs }, context);
  const isComplete = opened.source !== 'cache' || opened.agents.some(({ id }) => id === name);
  return isComplete || opened.problem !== undefined ? opened : openRegistry({ registry }, context);
}

/** Opens a file for synchronous writes: a message is in it before the message is handled, even if that crashes. */
function openTrace(path: string): number {
  try {
    return openSync(path, 'w');
  } catch (error) {
    throw new CommandError(`--trace: ${path} cannot be written: ${errorMessage(error)}.`, exitCodes.usage);
  }
}
