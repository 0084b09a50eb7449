import { checkOptions } from '../core/base/options.ts';
import type { SpawnedAgent } from '../node/process/agent-process.ts';
import { type SpawnAgentOptions, spawnOptionsSchema, startAgent } from '../node/process/spawn.ts';
import { agents } from './list.ts';

/**
 * Starts an agent for `connect`, without a shell: the program `command`, its arguments apart from it in `args`, the
 * directory `cwd`, and changes to the environment in `env`.
 *
 * Returns immediately. If the program cannot be started, `connect` rejects with a {@link SpawnError}. The agent ends with all
 * processes that it started: with `connection.close()`, and when this process ends, also by a signal or a crash.
 *
 * If the application listens to SIGINT, SIGTERM or SIGHUP, the agents run until the application exits. On Linux and macOS a
 * small shell process, which runs while there are agents or terminals, ends them when this process ends by SIGKILL or a
 * crash. On Windows an agent then only sees the end of its input.
 *
 * Daemons that the agent started survive `close` and the exit of this process. The page on reliability says what ends
 * after a crash, on each system.
 *
 * @throws {@link InvalidParamsError} if an option is wrong. Nothing is started.
 * @example
 * ```ts
 * await using agent = spawnAgent({ command: 'npx', args: ['-y', 'some-agent', '--acp'], cwd });
 * const connection = await connect(agent, options);
 * ```
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
