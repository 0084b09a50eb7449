import type { AgentCommand } from '../node/process/node-command.ts';
import { installedProgram } from '../node/process/program-path.ts';
import type { RegistryAgent } from './registry/content.ts';
import { testedAgent } from './tested-agents.ts';

/**
 * The command of an agent whose program is in a directory of PATH, which the registry does not say: it names a package.
 * `undefined` if it is not there, or if the entry is about another package than the one that was tested.
 */
export function installedAgent(
  { id, distribution }: RegistryAgent,
  env: Readonly<Record<string, string | undefined>>,
): AgentCommand | undefined {
  const tested = testedAgent(id);
  const named = distribution.npx?.package;
  if (!tested || (named !== undefined && withoutVersion(named) !== tested.package)) return undefined;
  const program = installedProgram(tested.program, env);
  return program === undefined ? undefined : { command: program, args: tested.args, env: {} };
}

/** The name of a package, without the version after it. The name of a scope begins with the same character. */
const withoutVersion = (named: string) => named.split(/(?<!^)@/)[0];
