import { cp, mkdir, mkdtemp, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type ExampleHost, startHost } from '../support/example-host.ts';

const root = resolve(import.meta.dirname, '../..');
export const example = join(root, 'docs/examples/panel');

/** Starts the panel of the example, with a demo agent whose sessions are its own. */
export async function startPanel(dialect: string): Promise<ExampleHost> {
  const folder = await mkdtemp(join(tmpdir(), 'acp-panel-'));
  await cp(example, folder, { recursive: true });
  await mkdir(join(folder, 'node_modules'));
  await symlink(root, join(folder, 'node_modules/acp-client-sdk'));
  for (const name of ['esbuild', 'markdown-it', 'ws']) {
    await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  }
  const state = join(folder, 'sessions');
  return startHost(folder, [
    ...[process.execPath, join(root, 'dist/demo-agent.js')],
    ...['--state', state, '--dialect', dialect],
  ]);
}
