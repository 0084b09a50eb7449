import { checkOptions } from '../core/base/options.ts';
import type { AgentProcess } from '../node/process/agent-process.ts';
import { type SpawnAgentOptions, spawnOptionsSchema, startAgent } from '../node/process/spawn.ts';
import { agents } from './list.ts';

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
  const { permissions, env } = options;
  const started = permissions === 'ask' ? { ...options, env: { ...askingVariables(), ...env } } : options;
  return startAgent(started, 'spare');
}

/** Those of all agents: a command does not say which agent it starts. */
function askingVariables(): Readonly<Record<string, string>> {
  const variables = agents.flatMap(({ askingVariable }) => askingVariable ?? []);
  return Object.fromEntries(variables.map(({ name, value }) => [name, value]));
}
