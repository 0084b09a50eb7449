import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../package/entries.ts';
import { startHost } from '../support/example-host.ts';

export const example = join(root, 'docs/examples/bridges');

/** The pages of the example, served for one agent. */
export interface Pages {
  /** The address of a page, by its name. */
  address(name: string): string;
  stop(): Promise<void>;
}

const demoAgent = (folder: string) => [
  process.execPath,
  join(root, 'dist/demo-agent.js'),
  '--state',
  join(folder, 'sessions'),
];

/**
 * @param packages - The folder in which the interfaces are installed.
 * @param agent - Default: a demo agent whose sessions are its own.
 */
export async function servePages(packages: string, agent?: readonly string[]): Promise<Pages> {
  const folder = await mkdtemp(join(tmpdir(), 'acp-chats-'));
  await cp(example, folder, { recursive: true });
  await symlink(join(packages, 'node_modules'), join(folder, 'node_modules'));
  const removeFolder = () => rm(folder, { recursive: true, force: true, maxRetries: 5 });
  try {
    const host = await startHost(folder, agent ?? demoAgent(folder));
    return {
      address: (name) => new URL(`/${name}`, host.url).href,
      async stop() {
        await host.stop();
        await removeFolder();
      },
    };
  } catch (error) {
    await removeFolder();
    throw error;
  }
}
