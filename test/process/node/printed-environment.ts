import { spawnAgent } from '../../../src/agents/spawn-agent.ts';
import type { SpawnAgentOptions } from '../../../src/node/process/spawn.ts';
import { listenTo, programPath } from './processes.ts';

export type Variables = Readonly<Record<string, string | undefined>>;

/** What the program `environment.mjs` prints. */
export interface PrintedEnvironment {
  readonly argv: readonly string[];
  readonly execArgv: readonly string[];
  readonly env: Variables;
  /** The variables of a program that it starts. */
  readonly started: Variables;
  readonly inThread: Variables;
}

export const environmentProgram = programPath('environment.mjs');

/** Starts a program, and resolves to the first message that it prints. Rejects if the program ends before. */
export async function firstMessage<T = PrintedEnvironment>(options: SpawnAgentOptions): Promise<T> {
  const agent = spawnAgent(options);
  const first = new Promise<unknown>((resolve, reject) => {
    listenTo(agent, resolve);
    void agent.ended.then(({ error }) => reject(error));
  });
  try {
    // The caller knows what the program prints.
    return (await first) as T;
  } finally {
    await agent.close();
  }
}

/** The names of the variables that belong to Electron. */
export function electronVariables(variables: Variables): readonly string[] {
  return Object.keys(variables).filter((name) => name.toUpperCase().startsWith('ELECTRON_'));
}
