import { checkOptions } from '../core/base/options.ts';
import type { SpawnedAgent } from '../node/process/agent-process.ts';
import { type SpawnAgentOptions, spawnOptionsSchema, startAgent } from '../node/process/spawn.ts';
import { agents } from './list.ts';

/**
 * Starts an agent for `connect`: the program `command` with `args`, in the directory `cwd`, with the changes in `env`.
 *
 * Returns immediately. If the program cannot be started, `connect` rejects with a {@link SpawnError}. The agent ends with all
 * processes that it started: with `connection.close()`, and when this process ends, also by a signal or a crash.
 *
 * If the application listens to SIGINT, SIGTERM or SIGHUP, the agents run until the application exits. On Linux and macOS a
 * small shell process, which runs while there are agents or terminals, ends them when this process ends by SIGKILL or a
 * crash. On Windows an agent then only sees the end of its input.
 *
 * A daemon, a process that moved to another session and whose parent has exited, survives `close` and the exit of this
 * process. If the agent crashes, or this process is killed, daemons end too, on Linux: each agent has a random value in
 * the variable `ACP_CLIENT_START`, by which its processes are found. On macOS only the process group of a crashed agent
 * ends. On Windows what a crashed agent left behind is not found.
 *
 * @throws {@link InvalidParamsError} if an option is wrong. Nothing is started.
 * @example
 * await using agent = spawnAgent({ command: 'npx', args: ['-y', 'some-agent', '--acp'], cwd });
 * const connection = await connect(agent, options);
 * @see https://agentclientprotocol.com/protocol/transports
 */
export function spawnAgent(options: SpawnAgentOptions): SpawnedAgent {
  checkOptions('spawnAgent', spawnOptionsSchema, options);
  const { permissions, env } = options;
  const started = permissions === 'ask' ? { ...options, env: { ...askingVariables(), ...env } } : options;
  return startAgent(started, 'spare');
}

/** Those of all agents: a command does not say which agent it starts. */
function askingVariables(): Readonly<Record<string, string>> {
  const variables = agents.flatMap(({ askingVariable }) => askingVariable ?? []);
  return Object.fromEntries(variables.map(({ name, value }) => [name, value]));
}
