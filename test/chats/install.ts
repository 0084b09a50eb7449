import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { root } from '../package/entries.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The folder in which the chat interfaces are installed. */
    chatPackages: string;
    /** The folder with AI SDK's chat and the React before the one that refuses addresses that run script. */
    react18Packages: string;
  }
}

/** The folder is outside of the project, and kept for the next run. Remove it to install the newest versions. */
const folder =
  process.env['ACP_CHATS_CACHE'] ??
  join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'acp-client-sdk-chats');

/** The interfaces, and what they need: about 600 MB. Those of this project's own ranges are in package.json. */
const packages = ['@assistant-ui/react', '@assistant-ui/react-ai-sdk', '@copilotkit/react-core'];
const shared = ['@ag-ui/client', '@ai-sdk/react', 'ai', 'react', 'react-dom', 'zod'];
const tools = ['esbuild', 'ws'];

/** Installs the chat interfaces from npm, with the newest versions that package.json allows. */
export default async function install(project: TestProject): Promise<void> {
  const { devDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const inRange = (name: string) => `${name}@${devDependencies[name]}`;
  project.provide('chatPackages', await installed(folder, [...packages, ...shared.map(inRange)]));
  const chat = ['@ai-sdk/react', 'ai', 'zod'].map(inRange);
  const react18 = await installed(`${folder}-react-18`, ['react@18', 'react-dom@18', ...chat]);
  project.provide('react18Packages', react18);
}

/** Installs packages in a folder. Returns it. */
async function installed(folder: string, wanted: readonly string[]): Promise<string> {
  const record = join(folder, 'installed.json');
  const isThere = existsSync(record) && (await readFile(record, 'utf8')) === JSON.stringify(wanted);
  if (!isThere) {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'package.json'), '{ "private": true }');
    const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    await promisify(execFile)('npm', ['install', ...options, ...wanted], { cwd: folder });
    await writeFile(record, JSON.stringify(wanted));
  }
  const modules = join(folder, 'node_modules');
  for (const name of ['acp-client-sdk', ...tools]) {
    const target = name === 'acp-client-sdk' ? root : join(root, 'node_modules', name);
    await rm(join(modules, name), { recursive: true, force: true });
    await symlink(target, join(modules, name));
  }
  return folder;
}
