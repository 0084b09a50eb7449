import type { TestedAgent } from '../core/protocol/agent-knowledge.ts';
import type { AgentCommand } from '../node/process/node-command.ts';
import { installedProgram } from '../node/process/program-path.ts';
import { claudeTested } from './claude.ts';
import { clineTested } from './cline.ts';
import { codexTested } from './codex.ts';
import { copilotTested } from './copilot.ts';
import { geminiTested } from './gemini.ts';
import { grokTested } from './grok.ts';
import { nanocoderTested } from './nanocoder.ts';
import { opencodeTested } from './opencode.ts';
import { piTested } from './pi.ts';
import { qwenTested } from './qwen.ts';
import type { RegistryAgent } from './registry/content.ts';

/** The agents that finished turns in the tests. Apart from what is known about them, so that a page does not load it. */
export const testedAgents: readonly TestedAgent[] = [
  codexTested,
  opencodeTested,
  claudeTested,
  copilotTested,
  geminiTested,
  qwenTested,
  clineTested,
  piTested,
  nanocoderTested,
  grokTested,
];

/** The tested agent with this id. */
export function testedAgent(id: string): TestedAgent | undefined {
  return testedAgents.find((agent) => agent.id === id);
}

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
