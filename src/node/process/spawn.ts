import * as v from 'valibot';
import { callback, checkOptions, integerBetween, optional, optionsObject } from '../../core/base/options.ts';
import { maxTimerMs } from '../../core/base/wait.ts';
import { defaultMaxMessageBytes } from '../../core/transport/message-limit.ts';
import { editorVariablesOption, inheritedEnvironment } from '../environment/editor-variables.ts';
import { type AgentProcess, ChildAgent } from './agent-process.ts';
import { absolutePath, arrayOf, environment, systemString } from './options.ts';
import type { Daemons } from './process-tree.ts';
import type { Launch } from './start-program.ts';

/**
 * The times of {@link AgentProcess.close}, in milliseconds. Windows does not have SIGTERM: the agent is killed after
 * `graceMs`.
 */
export interface ShutdownOptions {
  /** From the end of the agent's input to SIGTERM. Default: 1000. */
  readonly graceMs?: number | undefined;
  /** From SIGTERM to SIGKILL. Default: 2000. */
  readonly killAfterMs?: number | undefined;
}

/** Options of {@link spawnAgent}. */
export interface SpawnAgentOptions {
  /** The program: a path, or a name that is looked up in PATH and not in the working directory. Not run by a shell. */
  readonly command: string;
  /** The arguments, passed to the program without changes. Default: none. */
  readonly args?: readonly string[] | undefined;
  /** The working directory, absolute. Default: that of this process. */
  readonly cwd?: string | undefined;
  /** Changes to the environment of this process, which the agent inherits. `undefined` removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /**
   * Whether the agent also inherits the variables of the editor's own runtime, such as `ELECTRON_RUN_AS_NODE`. Default:
   * `remove`, as {@link editorEnvironment} does. Variables in `env` stay.
   */
  readonly editorVariables?: 'remove' | 'keep' | undefined;
  /**
   * The maximum length of a message, in bytes. Default: 128 MiB. A longer message ends the agent with
   * `MessageTooLargeError`.
   */
  readonly maxLineBytes?: number | undefined;
  /** The number of bytes at the end of stderr that are kept for errors. Default: 8192. */
  readonly stderrTailBytes?: number | undefined;
  /** Called with all text that the agent writes to stderr, in chunks of any size. */
  readonly onStderr?: ((text: string) => void) | undefined;
  /** How long {@link AgentProcess.close} waits. */
  readonly shutdown?: ShutdownOptions | undefined;
}

/**
 * Starts an agent for `connect`: the program `command` with `args`, in the directory `cwd`, with the changes in `env`.
 *
 * Returns immediately. If the program cannot be started, the channel ends with a `SpawnError`, and `connect` rejects
 * with it. Wrong options throw an `InvalidParamsError`, and nothing is started.
 *
 * The agent ends with all processes that it started, also in other process groups and sessions. This happens in
 * `close`, when this process exits or throws, and when SIGINT, SIGTERM or SIGHUP ends this process. If the application
 * listens to such a signal, the agents run until the application exits. On Linux and macOS a small shell process, which
 * runs while there are agents or terminals, also ends them when this process ends by SIGKILL or a crash.
 *
 * A daemon, a process that moved to another session and whose parent has exited, survives `close` and the exit of this
 * process. If the agent crashes, or this process is killed, daemons end too, on Linux: each agent has a random value in
 * the variable `ACP_CLIENT_START`, by which its processes are found. On macOS only the process group of a crashed agent
 * ends. On Windows `taskkill` ends the process tree; processes that a crashed agent left behind are not found, and an
 * agent only sees the end of its input when this process is killed.
 *
 * @example
 * await using agent = spawnAgent({ command: 'npx', args: ['-y', 'some-agent', '--acp'], cwd });
 * const connection = await connect(agent, options);
 * @see https://agentclientprotocol.com/protocol/transports
 */
export function spawnAgent(options: SpawnAgentOptions): AgentProcess {
  checkOptions('spawnAgent', spawnOptionsSchema, options);
  return startAgent(options, 'spare');
}

/** Starts an agent whose options were checked. */
export function startAgent(options: SpawnAgentOptions, daemons: Daemons): AgentProcess {
  const { maxLineBytes = defaultMaxMessageBytes, stderrTailBytes = 8192, onStderr } = options;
  const { graceMs = 1000, killAfterMs = 2000 } = options.shutdown ?? {};
  const launch = launchOf(options);
  return new ChildAgent({ launch, maxLineBytes, stderrTailBytes, onStderr, graceMs, killAfterMs, daemons });
}

/** The program of an agent, with its whole environment. */
export function launchOf(options: SpawnAgentOptions): Launch {
  const { command, args = [], cwd } = options;
  return { command, args: [...args], cwd, env: inheritedEnvironment(options) };
}

const shutdownSchema = optionsObject({
  graceMs: optional(integerBetween(0, maxTimerMs)),
  killAfterMs: optional(integerBetween(0, maxTimerMs)),
} satisfies Record<keyof ShutdownOptions, v.GenericSchema>);

export const spawnOptionsSchema = optionsObject({
  command: v.pipe(systemString, v.nonEmpty('is empty: name the program')),
  args: optional(arrayOf(systemString)),
  cwd: optional(absolutePath),
  env: optional(environment),
  editorVariables: optional(editorVariablesOption),
  maxLineBytes: optional(integerBetween(1, Number.MAX_SAFE_INTEGER)),
  stderrTailBytes: optional(integerBetween(0, 64 * 1024 * 1024)),
  onStderr: optional(callback),
  shutdown: optional(shutdownSchema),
} satisfies Record<keyof SpawnAgentOptions, v.GenericSchema>);
