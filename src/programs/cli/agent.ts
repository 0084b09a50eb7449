import { connect } from '../../agents/connect.ts';
import { remoteTransport } from '../../agents/remote.ts';
import { spawnAgent } from '../../agents/spawn-agent.ts';
import { errorMessage } from '../../core/base/diagnostic.ts';
import { isJsonObject, type JsonObject } from '../../core/base/json.ts';
import type { CallOptions } from '../../core/client/calls/call-options.ts';
import type { ClientConnection } from '../../core/client/connection.ts';
import type { ReconnectOptions } from '../../core/client/reconnect.ts';
import type { ClientHandlers } from '../../core/client/requests/handlers.ts';
import { cleanLine } from '../../core/render/clean.ts';
import { checkRemote } from '../../core/transport/remote-options.ts';
import type { Transport, TransportEnd } from '../../core/transport/transport.ts';
import { demoAgentCommand } from '../../node/process/demo-agent.ts';
import { traceFile } from '../../node/process/trace-file.ts';
import { showWhile } from './activity.ts';
import type { AgentChoice, Invocation } from './arguments.ts';
import type { Context } from './context.ts';
import { agentFailure, CommandError, usageError, withoutCall } from './errors.ts';
import { version } from './options.ts';

/** How an agent that ended is started or reached again. */
export interface Restart {
  readonly reconnect: ReconnectOptions;
  /** Called when the agent has ended, before the state of the connection changes. */
  onEnd(end: TransportEnd): void;
  /** Called when a turn goes on after a cancel. `restart` ends the agent, which is then started again. */
  onCancelIgnored(restart: () => void): void;
}

interface AgentOptions {
  readonly handlers?: ClientHandlers;
  /** Absent where the command ends with its agent. */
  readonly restart?: Restart | undefined;
  /** Called with each message from the agent before the message is handled. */
  readonly onIncoming?: (message: JsonObject) => void;
}

/**
 * Starts or reaches the agent, calls `use` with the connection and the options for its calls, and ends the agent. When this
 * settles, all processes of an agent that was started have ended.
 *
 * @throws {@link CommandError} for any error after that.
 */
export async function withAgent<T>(
  invocation: Invocation,
  context: Context,
  { handlers, restart, onIncoming }: AgentOptions,
  use: (connection: ClientConnection, options: CallOptions) => Promise<T>,
): Promise<T> {
  const { timeoutMs } = invocation;
  const opener = await openerOf(invocation, context);
  const trace = openTrace(invocation);
  const { signal } = context.interrupts;
  const opened: Transport[] = [];
  const start = () => {
    const agent = opener.open();
    opened.push(agent);
    if (restart) void agent.ended.then((end) => restart.onEnd(end));
    return agent;
  };
  try {
    const connecting = connect(start, {
      ...connectOptions(invocation),
      signal,
      onDiagnostic(diagnostic) {
        // Over which way a remote agent is reached.
        if (diagnostic.rule !== 'transport.chosen') context.report(diagnostic);
        else if (invocation.command === 'inspect') context.output.note(diagnostic.message);
        if (diagnostic.rule === 'session.cancel_ignored')
          restart?.onCancelIgnored(() => void opened.at(-1)?.close());
      },
      trace: {
        write(record) {
          trace?.write(record);
          if (record.dir === 'in' && isJsonObject(record.msg)) onIncoming?.(record.msg);
        },
        // A shortened text would fold to a different conversation.
        maxTextLength: Number.POSITIVE_INFINITY,
      },
      ...(handlers && { handlers }),
      ...(restart && { reconnect: restart.reconnect }),
    });
    const connection = await showWhile(context, () => waitingFor(invocation.agent), connecting);
    try {
      return await use(connection, { signal, ...(timeoutMs !== undefined && { timeoutMs }) });
    } finally {
      await showWhile(context, () => 'Ending the agent', connection.close());
    }
  } catch (error) {
    const last = opened.at(-1);
    await last?.close();
    throw agentFailure(error, (await last?.ended)?.exit?.stderrTail);
  }
}

/** How the command line connects to every agent. */
export function connectOptions({ agent, protocolVersion, timeoutMs }: Invocation) {
  // The user can run a login in this terminal. An agent at a URL must not name programs of this machine.
  const isHere = !(agent && 'url' in agent);
  return {
    ...(isHere && { terminalLogin: true }),
    clientInfo: { name: 'acp-client', version },
    ...(protocolVersion && { protocolVersions: [protocolVersion] }),
    ...(timeoutMs !== undefined && { initializeIdleTimeoutMs: timeoutMs }),
  };
}

/**
 * How the agent is started or reached. Nothing is started before `open` is called.
 *
 * @throws {@link CommandError} if the registry does not have the agent, it cannot be started here, or its token is missing.
 * @throws {@link InvalidParamsError} if the URL or a header is wrong, or others could read the token.
 */
export async function openerOf(invocation: Invocation, context: Context) {
  const { agent } = invocation;
  if (agent && 'url' in agent) {
    const headers = headersOf(invocation, context.host.env);
    const options = Object.keys(headers).length === 0 ? {} : { headers };
    // A wrong command line must not begin anything.
    checkRemote(agent.url, options);
    return { agent, open: () => remoteTransport(agent.url, options) };
  }
  const command = await commandOf(agent, context);
  const open = (onStderr?: (text: string) => void) => spawnAgent({ ...command, onStderr });
  return { agent: command, open };
}

/** The headers of `--header`, and the token of `--token-env`. Headers of the same name are one, as in HTTP. */
export function headersOf(
  { headers, tokenVariable }: Invocation,
  env: NodeJS.ProcessEnv,
): Readonly<Record<string, string>> {
  const all = new Map<string, string>();
  for (const [name, value] of headers) {
    const before = all.get(name.toLowerCase());
    all.set(name.toLowerCase(), before === undefined ? value : `${before}, ${value}`);
  }
  if (tokenVariable !== undefined) {
    if (all.has('authorization')) {
      throw usageError('--token-env and --header Authorization exclude each other.');
    }
    all.set('authorization', `Bearer ${tokenIn(tokenVariable, env)}`);
  }
  return Object.fromEntries(all);
}

function tokenIn(variable: string, env: NodeJS.ProcessEnv): string {
  const token = env[variable]?.trim();
  if (token) return token;
  const problem = /^\w+$/.test(variable)
    ? `the environment variable ${variable} has no token`
    : // The user may have given the token itself.
      'it takes the name of an environment variable, and not the token';
  throw usageError(`--token-env: ${problem}.`);
}

async function commandOf(
  agent: Exclude<AgentChoice, { readonly url: string }> | undefined,
  context: Context,
) {
  if (!agent) return demoAgentCommand();
  if ('command' in agent) return agent;
  // Most commands need no registry, and load faster without it.
  const { registeredCommand } = await import('./registry.ts');
  return registeredCommand(agent.name, context);
}

/** Programs that download what they start. */
export const downloaders: ReadonlySet<string> = new Set(['npx', 'bunx', 'pnpx', 'uvx', 'pipx']);

function waitingFor(agent: AgentChoice | undefined): string {
  if (!agent) return 'Starting the demo agent';
  if ('url' in agent) return cleanLine(`Connecting to ${agent.url}`);
  if ('name' in agent) return cleanLine(`Starting ${agent.name}, which may download it`);
  const words = cleanLine(agent.command, ...agent.args);
  const program = agent.command.replace(/^.*[\\/]/, '').replace(/\.(?:cmd|exe)$/i, '');
  // A long command is cut at its end.
  return downloaders.has(program) ? `Starting, ${program} may download it: ${words}` : `Starting ${words}`;
}

/** The recording of `--trace`. */
export function openTrace({ traceFile: path }: Pick<Invocation, 'traceFile'>) {
  if (path === undefined) return undefined;
  try {
    return traceFile(path);
  } catch (error) {
    throw usageError(`--trace: ${withoutCall(errorMessage(error))}`);
  }
}
