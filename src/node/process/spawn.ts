import * as v from 'valibot';
import { callback, integerBetween, optional, optionsObject } from '../../core/base/options.ts';
import { maxTimerMs } from '../../core/base/wait.ts';
import { defaultMaxMessageBytes } from '../../core/transport/message-text.ts';
import { editorVariablesOption, inheritedEnvironment } from '../environment/editor-variables.ts';
import { ChildAgent, type SpawnedAgent } from './agent-process.ts';
import { absolutePath, arrayOf, environment, systemString } from './options.ts';
import type { Daemons } from './process-tree.ts';
import type { Launch } from './start-program.ts';

/**
 * The times of {@link SpawnedAgent.close}, in milliseconds. Windows does not have SIGTERM: the agent is killed after
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
  /** How long {@link SpawnedAgent.close} waits. */
  readonly shutdown?: ShutdownOptions | undefined;
  /**
   * `ask`: sets the environment variables with which some agents ask for permission, because they have no setting for it.
   * A variable of the same name in `env` stays. Pass `permissions: 'ask'` to the calls that open sessions as well. Default:
   * such an agent asks as its configuration says.
   */
  readonly permissions?: 'ask' | undefined;
}

/** Starts an agent whose options were checked. */
export function startAgent(options: SpawnAgentOptions, daemons: Daemons): SpawnedAgent {
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
  permissions: optional(v.literal('ask', "must be 'ask'")),
} satisfies Record<keyof SpawnAgentOptions, v.GenericSchema>);
