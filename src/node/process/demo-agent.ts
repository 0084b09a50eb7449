// The build defines `createRequire` for packages that need it.
import { createRequire as requireFrom } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkOptions, oneOf, optional, optionsObject } from '../../core/base/options.ts';
import type { DialectName } from '../../core/protocol/dialect.ts';
import { type AgentCommand, nodeCommand } from './node-command.ts';
import { systemString } from './options.ts';
import { isFile } from './program-path.ts';

const name = 'demo-agent.js';

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
 * The agent is a file in the package, which {@link nodeCommand} runs. A bundle finds it if the package is installed where the
 * bundle is.
 *
 * @throws {@link InvalidParamsError} if an option is wrong.
 * @throws an error with the code `MODULE_NOT_FOUND` in a bundle that does not find the package
 *
 * @example
 * ```ts
 * const agent = spawnAgent(demoAgentCommand());
 * ```
 */
export function demoAgentCommand(options: DemoAgentOptions = {}): AgentCommand {
  const { dialect, sessionsDirectory } = checkOptions('demoAgentCommand', schema, options);
  return nodeCommand(demoAgentFile(), [
    ...(dialect === undefined ? [] : ['--dialect', dialect]),
    ...(sessionsDirectory === undefined ? [] : ['--state', sessionsDirectory]),
  ]);
}

const dialectName = oneOf<DialectName>('v1', 'v2-markers', 'v2-baseline');
const schema = optionsObject({ dialect: optional(dialectName), sessionsDirectory: optional(systemString) });

function demoAgentFile(): string {
  // CommonJS has no `import.meta.url`. `node -e` defines `__dirname` also for ES modules.
  const folder = import.meta.url === undefined ? __dirname : dirname(fileURLToPath(import.meta.url));
  const file = join(folder, name);
  if (isFile(file)) return file;
  return join(dirname(requireFrom(file).resolve('acp-client-sdk/node')), name);
}
