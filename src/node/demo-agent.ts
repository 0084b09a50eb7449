import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DialectName } from '../protocol/dialect.ts';
import { type AgentCommand, nodeCommand } from './node-command.ts';

/** Options of {@link demoAgentCommand}. */
export interface DemoAgentOptions {
  /** The only dialect that the agent speaks. Default: the client chooses the version. */
  readonly dialect?: DialectName | undefined;
  /** The directory for new sessions. Default: they are in memory, and are lost when the process ends. */
  readonly sessionsDirectory?: string | undefined;
}

/**
 * Returns the demo agent's command, for `spawnAgent`. The demo agent has no model and needs no network. The same
 * prompt always gets the same answer. Words in a prompt choose the answer, such as `plan`, `edit`, `run`, `slow` and
 * `crash`. The agent has three example sessions. Changes to them last as long as the process.
 *
 * The agent is a file in the package, which {@link nodeCommand} runs. So this function does not work in a bundle.
 *
 * @example
 * ```ts
 * const agent = spawnAgent(demoAgentCommand());
 * ```
 */
export function demoAgentCommand({ dialect, sessionsDirectory }: DemoAgentOptions = {}): AgentCommand {
  // CommonJS has no `import.meta.url`, and an ES module has no `__dirname`.
  const folder = typeof __dirname === 'string' ? __dirname : dirname(fileURLToPath(import.meta.url));
  return nodeCommand(join(folder, 'demo-agent.js'), [
    ...(dialect === undefined ? [] : ['--dialect', dialect]),
    ...(sessionsDirectory === undefined ? [] : ['--state', sessionsDirectory]),
  ]);
}
