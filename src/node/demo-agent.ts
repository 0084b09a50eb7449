import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DialectName } from '../protocol/dialect.ts';

/** How the demo agent is started. */
export interface DemoAgentOptions {
  /** What it speaks, whatever the client asks for. Default: the version that the client asks for. */
  readonly dialect?: DialectName;
  /**
   * The folder that it keeps its sessions in; the first time, it puts its example sessions there. Default: one in the
   * system's folder for temporary files, which all who ask for no other share.
   */
  readonly sessionsFolder?: string;
}

/**
 * The agent that ships with this package, for `spawnAgent`: it has no model, needs no key and no network, and gives
 * the same prompt the same answer. Words in a prompt steer it, such as `plan`, `edit`, `run`, `slow` and `crash`.
 *
 * It is a file of the package, so that this does not work from within a bundle.
 *
 * @example
 * ```ts
 * const agent = spawnAgent(demoAgentCommand());
 * ```
 */
export function demoAgentCommand({ dialect, sessionsFolder }: DemoAgentOptions = {}): {
  command: string;
  args: string[];
} {
  // The CommonJS copy of the package has no `import.meta.url`, and the other one no `__dirname`.
  const folder = typeof __dirname === 'string' ? __dirname : dirname(fileURLToPath(import.meta.url));
  return {
    command: process.execPath,
    args: [
      join(folder, 'demo-agent.js'),
      ...(dialect === undefined ? [] : ['--dialect', dialect]),
      ...(sessionsFolder === undefined ? [] : ['--sessions', sessionsFolder]),
    ],
  };
}
