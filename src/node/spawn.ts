import { defaultMaxLineBytes } from '../transport/ndjson.ts';
import { maxTimerMs } from '../wait.ts';
import { type AgentProcess, ChildAgent } from './agent-process.ts';
import { mergeEnvironment } from './environment.ts';
import {
  absolutePath,
  arrayOf,
  assertOptions,
  type Check,
  callback,
  environment,
  optional,
  optionsOf,
  text,
  wholeNumber,
} from './options.ts';

/** How {@link AgentProcess.close} goes about it. */
export interface ShutdownOptions {
  /** How long the agent may take to end by itself once its input is closed, before SIGTERM. Default: 1000. */
  readonly graceMs?: number | undefined;
  /** How long it may take after SIGTERM, before SIGKILL. Default: 2000. */
  readonly killAfterMs?: number | undefined;
}

/** Which program to start, and how. */
export interface SpawnAgentOptions {
  /** The program: a path, or a name that is looked up in PATH. No shell reads it. */
  readonly command: string;
  /** Passed on as they are. Default: none. */
  readonly args?: readonly string[] | undefined;
  /** The working directory, absolute. Default: that of this process. */
  readonly cwd?: string | undefined;
  /** Goes over the environment of this process; `undefined` takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** The longest message taken, in bytes. Default: 128 MiB. A longer one ends the agent with `MessageTooLargeError`. */
  readonly maxLineBytes?: number | undefined;
  /** How much of the end of stderr is kept for errors, in bytes. Default: 8192. */
  readonly stderrTailBytes?: number | undefined;
  /** Takes everything that the agent writes to stderr, as it comes: text, in no particular pieces. */
  readonly onStderr?: ((text: string) => void) | undefined;
  /** How long its end may take. */
  readonly shutdown?: ShutdownOptions | undefined;
}

const defaultStderrTailBytes = 8192;
const defaultGraceMs = 1000;
const defaultKillAfterMs = 2000;

/**
 * Starts an agent, to be passed to `connect`.
 *
 * Returns at once. A program that cannot be started shows as the end of the channel, with a `SpawnError`: `connect`
 * rejects with it. Wrong options throw `InvalidParamsError`, and nothing is started.
 *
 * The agent leads a process group of its own and never outlives this process: the group is killed when this process
 * exits, by an exception too, or is ended by SIGINT, SIGTERM or SIGHUP. If the application listens to such a signal
 * itself, it decides: the agents stay until it exits. When this process is killed with SIGKILL, the agent is left to
 * see the end of its input. What leaves the group, as a daemon does, is not followed. On Windows the tree is ended
 * with `taskkill`, and what an agent that crashed has left behind is not found.
 *
 * @example
 * await using agent = spawnAgent({ command: 'npx', args: ['-y', 'some-agent', '--acp'], cwd });
 * const connection = await connect(agent, options);
 * @see https://agentclientprotocol.com/protocol/transports
 */
export function spawnAgent(options: SpawnAgentOptions): AgentProcess {
  assertOptions('spawnAgent', options, optionChecks);
  const { command, args = [], cwd, env = {}, maxLineBytes, stderrTailBytes, onStderr, shutdown } = options;
  return new ChildAgent({
    launch: { command, args: [...args], cwd, env: mergeEnvironment(process.env, env) },
    maxLineBytes: maxLineBytes ?? defaultMaxLineBytes,
    stderrTailBytes: stderrTailBytes ?? defaultStderrTailBytes,
    onStderr,
    graceMs: shutdown?.graceMs ?? defaultGraceMs,
    killAfterMs: shutdown?.killAfterMs ?? defaultKillAfterMs,
  });
}

const optionChecks: Readonly<Record<keyof SpawnAgentOptions, Check>> = {
  *command(value, path) {
    if (value === '') yield { path, message: 'is empty: name the program' };
    else yield* text(value, path);
  },
  args: optional(arrayOf(text)),
  cwd: optional(absolutePath),
  env: optional(environment),
  maxLineBytes: optional(wholeNumber(1, Number.MAX_SAFE_INTEGER)),
  stderrTailBytes: optional(wholeNumber(0, 64 * 1024 * 1024)),
  onStderr: optional(callback),
  shutdown: optional(
    optionsOf({
      graceMs: optional(wholeNumber(0, maxTimerMs)),
      killAfterMs: optional(wholeNumber(0, maxTimerMs)),
    } satisfies Record<keyof ShutdownOptions, Check>),
  ),
};
