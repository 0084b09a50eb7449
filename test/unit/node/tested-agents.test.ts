import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
// The suite of agents is JavaScript.
// @ts-expect-error no declarations
import { testedAgents } from '../../agents/catalog.mjs';

const file = join(import.meta.dirname, '../../../src/node/known-agents/tested-agents.ts');

interface Tested {
  readonly id: string;
  readonly name: string;
  readonly package: string;
  readonly version: string;
  readonly program: string;
  readonly args: readonly string[];
}

const quoted = (text: string) => `'${text}'`;
const listed = (agents: readonly Tested[]) =>
  agents
    .map(
      ({ id, name, package: npmPackage, version, program, args }) => `  {
    id: ${quoted(id)},
    name: ${quoted(name)},
    package: ${quoted(npmPackage)},
    version: ${quoted(version)},
    program: ${quoted(program)},
    args: [${args.map(quoted).join(', ')}],
  },
`,
    )
    .join('');

const text = `/** An agent that the suite of agents runs, and that finishes turns there. */
export interface TestedAgent {
  /** Its id in the registry. */
  readonly id: string;
  /** For the user. */
  readonly name: string;
  /** Its npm package, without a version. */
  readonly package: string;
  /** The version that was tested. */
  readonly version: string;
  /** The program that the package installs. */
  readonly program: string;
  /** The arguments with which it speaks the protocol. */
  readonly args: readonly string[];
}

/** Generated from \`test/agents\`: \`UPDATE_AGENTS=1 npx vitest run test/unit/node/tested-agents.test.ts\`. */
export const testedAgents: readonly TestedAgent[] = [
${listed(testedAgents)}];
`;

test('the agents that were tested are those of the suite', () => {
  if (process.env['UPDATE_AGENTS'] === '1') writeFileSync(file, text);
  expect(readFileSync(file, 'utf8')).toBe(text);
});
