import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { copyExample, demoAgent, type ExampleHost, startHost } from '../support/example-host.ts';

/** The lines of a file that are not empty. */
export const linesOf = (path: string): number => readFileSync(path, 'utf8').match(/\S.*/g)?.length ?? 0;

/** The examples of a server with a page: the program, and the packages that its README installs. */
const examples = {
  panel: { program: 'host.mjs', packages: ['esbuild', 'markdown-it', 'ws'] },
  web: { program: 'server.mjs', packages: ['esbuild', 'ws'] },
} as const;

/**
 * Starts an example from a copy, with a demo agent whose sessions are its own.
 *
 * @param options.dialect - How the agent speaks; as the page asks it to, if it is not said.
 * @param options.port - Default: any.
 */
export async function startExample(
  name: keyof typeof examples,
  { dialect, port = '0' }: { readonly dialect?: string; readonly port?: string } = {},
): Promise<ExampleHost> {
  const { program, packages } = examples[name];
  const folder = await copyExample(name, packages);
  const spoken = dialect === undefined ? [] : ['--dialect', dialect];
  return startHost(join(folder, program), [...demoAgent(folder), ...spoken], { PORT: port });
}
