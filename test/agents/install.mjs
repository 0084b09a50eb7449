import { spawn } from 'node:child_process';
import { access, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { labelOf } from './catalog.mjs';

/** Where agents are installed: outside of every project, and kept for the next run. */
export const cacheFolder = process.env.ACP_AGENTS_CACHE ?? join(tmpdir(), 'acp-client-sdk-agents');

const nodeVersion = '22.23.3';
const runtime = {
  label: `node-${nodeVersion}`,
  package: `node-${process.platform}-${process.arch}@${nodeVersion}`,
  program: `node-${process.platform}-${process.arch}/bin/node`,
  sizeMiB: 185,
};

const runsAsItIs = (major) => Number(process.versions.node.split('.')[0]) >= major;

/** A file inside what was installed under `label`. */
export function installedPath(label, path) {
  return join(cacheFolder, label, 'node_modules', path);
}

/** The Node.js program for agents that ask for this major version: the one that runs here, if it is new enough. */
export function nodeProgram(major = 20) {
  return runsAsItIs(major) ? process.execPath : installedPath(runtime.label, runtime.program);
}

/**
 * Installs what is missing of these agents, pinned, from the npm registry. No install script is run.
 *
 * @param options.say - Takes a line before each download, with its size.
 * @param options.signal - Ends what is being installed; the next time it is begun anew.
 */
export async function install(agents, { say, signal }) {
  const needsRuntime = agents.some(({ nodeMajor = 20 }) => !runsAsItIs(nodeMajor));
  const wanted = [
    ...(needsRuntime ? [runtime] : []),
    ...agents
      .filter((agent) => agent.sizeMiB !== undefined)
      .map((agent) => ({ label: labelOf(agent), package: agent.package, sizeMiB: agent.sizeMiB })),
  ];
  const missing = [];
  for (const item of wanted) if (!(await isInstalled(item.label))) missing.push(item);
  if (missing.length === 0) return;
  const total = missing.reduce((sum, { sizeMiB }) => sum + sizeMiB, 0);
  say(`To be installed into ${cacheFolder}: about ${total} MiB in all.`);
  for (const item of missing) {
    say(`installing ${item.package}, about ${item.sizeMiB} MiB`);
    await installOne(item, signal);
  }
}

const doneFile = (label) => join(cacheFolder, label, 'installed');

async function isInstalled(label) {
  return access(doneFile(label)).then(
    () => true,
    () => false,
  );
}

async function installOne({ label, package: name }, signal) {
  const folder = join(cacheFolder, label);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
  // Not warnings: they are about the Node.js that installs, and some agents are run by a newer one.
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const npm = spawn('npm', ['install', ...flags, name], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
    signal,
  });
  const code = await new Promise((resolve, reject) => {
    npm.once('error', reject);
    npm.once('close', resolve);
  });
  if (code !== 0) throw new Error(`npm could not install ${name}: it exited with code ${code}.`);
  // Written last: what was interrupted half way is begun anew.
  await writeFile(doneFile(label), `${name}\n`);
}
