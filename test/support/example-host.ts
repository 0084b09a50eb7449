import type { ChildProcess } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { endProgram, spawn } from './spawn.mjs';

const root = resolve(import.meta.dirname, '../..');

/** A program of an example that serves pages. */
export interface ExampleHost {
  /** What its first line says: where it listens. */
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Copies an example to a folder for temporary files. The copy has this package, and others of this repository, as if they
 * were installed.
 */
export async function copyExample(name: string, packages: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `acp-${name}-`));
  await cp(join(root, 'docs/examples', name), folder, { recursive: true });
  const modules = join(folder, 'node_modules');
  await mkdir(modules);
  await symlink(root, join(modules, 'acp-client-sdk'));
  for (const each of packages) await symlink(join(root, 'node_modules', each), join(modules, each));
  return folder;
}

/** A command of the demo agent whose sessions are in a folder, and its own. */
export const demoAgent = (folder: string) => [
  process.execPath,
  join(root, 'dist/demo-agent.js'),
  '--state',
  join(folder, 'sessions'),
];

/**
 * Starts a program of a copy of an example, with the command of an agent. The copy is removed when the program has stopped,
 * or did not start.
 *
 * @param variables - More variables of the environment. Default: any `PORT`.
 */
export async function startHost(
  program: string,
  agent: readonly string[],
  variables: NodeJS.ProcessEnv = {},
): Promise<ExampleHost> {
  const folder = dirname(program);
  const removeFolder = () => rm(folder, { recursive: true, force: true, maxRetries: 5 });
  const env = { ...process.env, PORT: '0', ...variables };
  const host = spawn(process.execPath, [program, ...agent], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const stop = async () => {
    await endProgram(host, 'SIGTERM');
    await removeFolder();
  };
  try {
    return { url: await firstLine(host), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  if (!stdout) throw new Error('The program has no stdout.');
  for await (const line of createInterface(stdout)) return line;
  throw new Error('The program ended before it said where it listens.');
}
