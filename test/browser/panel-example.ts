import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const root = resolve(import.meta.dirname, '../..');
export const example = join(root, 'docs/examples/panel');

/** The panel of the example, with a demo agent whose sessions are its own. */
export interface Panel {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startPanel(dialect: string): Promise<Panel> {
  const folder = await mkdtemp(join(tmpdir(), 'acp-panel-'));
  await cp(example, folder, { recursive: true });
  await mkdir(join(folder, 'node_modules'));
  await symlink(root, join(folder, 'node_modules/acp-client-sdk'));
  for (const name of ['esbuild', 'markdown-it', 'ws']) {
    await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  }
  const agent = [join(root, 'dist/demo-agent.js'), '--state', join(folder, 'sessions'), '--dialect', dialect];
  const host = spawn(process.execPath, [join(folder, 'host.mjs'), process.execPath, ...agent], {
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
    return { url: await firstLine(host), stop };
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
