import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { root } from '../package/entries.ts';

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
  const host = spawn(process.execPath, [join(folder, 'host.mjs'), ...(agent ?? demoAgent(folder))], {
    cwd: folder,
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const stop = async () => {
    if (host.exitCode === null && host.signalCode === null) {
      const exited = once(host, 'exit');
      host.kill();
      await exited;
    }
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const first = await firstLine(host);
    return { address: (name) => new URL(`/${name}`, first).href, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  if (!stdout) throw new Error('The host has no stdout.');
  for await (const line of createInterface(stdout)) return line;
  throw new Error('The host ended before it said where it listens.');
}
