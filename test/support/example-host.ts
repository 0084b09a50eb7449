import type { ChildProcess } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { endProgram, spawn } from './spawn.mjs';

/** A program of an example that serves pages. */
export interface ExampleHost {
  /** What its first line says: where it listens. */
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Starts `host.mjs` of a copy of an example on any port, with the command of an agent. The copy is removed when the program
 * has stopped, or did not start.
 */
export async function startHost(
  folder: string,
  agent: readonly string[],
  variables: NodeJS.ProcessEnv = {},
): Promise<ExampleHost> {
  const removeFolder = () => rm(folder, { recursive: true, force: true, maxRetries: 5 });
  try {
    const { url, stop } = await startServing([join(folder, 'host.mjs'), ...agent], {
      cwd: folder,
      env: { ...process.env, ...variables, PORT: '0' },
    });
    return {
      url,
      async stop() {
        await stop();
        await removeFolder();
      },
    };
  } catch (error) {
    await removeFolder();
    throw error;
  }
}

/** Starts a program with Node. Resolves when it says where it listens. */
export async function startServing(
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<ExampleHost> {
  const program = spawn(process.execPath, args, { ...options, stdio: ['ignore', 'pipe', 'inherit'] });
  const stop = () => endProgram(program, 'SIGTERM');
  try {
    return { url: await firstLine(program), stop };
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
